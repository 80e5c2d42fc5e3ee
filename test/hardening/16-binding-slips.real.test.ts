// The command that gives a role says at once what a person mistyped.
import { startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let hub: TestHub;
beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub[Symbol.asyncDispose]());

describe("16: access bind", () => {
  it("refuses a robot that isn't there", async () => {
    const typo = ["access", "binding", "create", "viewer", "--robot", "ic", "--all-clusters"];
    const { code, stderr } = await hub.cli(typo, { allowFailure: true });
    expect(code).not.toBe(0);
    expect(stderr).toContain("(ROBOT_NOT_FOUND)");
    await hub.cli(["access", "robot", "create", "ic"]);
    expect((await hub.cli(typo)).stderr).not.toContain("Warning");
  });

  it("warns of a cluster that isn't there and of a user who never came, and binds all the same", async () => {
    const { stdout, stderr } = await hub.cli([
      "access",
      "binding",
      "create",
      "viewer",
      "--user",
      "alcie",
      "--cluster",
      "eats",
    ]);
    expect(stdout).toContain("alcie is viewer in eats");
    expect(stderr).toContain("Warning: There is no cluster named eats yet.");
    expect(stderr).toContain("Warning: Nobody named alcie has signed in yet.");
  });
});
