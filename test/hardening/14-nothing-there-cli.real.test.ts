// An empty answer and an impossible one once looked the same: exit code 0 and nothing printed.
import { waitUntil } from "@fairlead/kernel/testing";
import type { CommandResult } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let namespace: string;
let viewer: string;
let stranger: string;
beforeAll(async () => {
  fleet = await startFleet({ roles: ["proxy", "observe"], agentArgs: ["--observe-include", "secrets"] });
  namespace = fleet.namespace.name;
  viewer = await makeRobot("looks", ["--cluster", "east"]);
  stranger = await makeRobot("has-nothing");
  const isThere = async () => (await run(["get", "nodes,secrets"])).code === 0;
  expect(await waitUntil(isThere, { timeoutMs: 60_000, intervalMs: 200 })).toBe(true);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe("14: nothing is said to be there only where nothing is there", () => {
  test.each([
    [["get", "pods"]],
    [["get", "pods", "-o", "name", "-w"]],
    [["events"]],
    [["change", "list"]],
    [["top", "cluster"]],
    [["describe", "pod/web-0"]],
  ])("%j of a cluster whose name is mistyped is exit code 4", async (args) => {
    const { code, stdout, stderr } = await run([...args, "--cluster", "typo"]);
    expect({ code, stdout }, stderr).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain("(OBJECTS_CLUSTER_UNKNOWN)");
  });

  test.each([
    ["foos", 4, "CLI_KIND_UNKNOWN"],
    ["leases.coordination.k8s.io", 9, "OBJECTS_KIND_NOT_OBSERVED"],
  ])("%s is exit code %i, and the hint says how to observe it", async (kind, code, error) => {
    const refused = await run(["get", kind]);
    expect(refused).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(`(${error})`) });
    expect(refused.stderr).toContain("--observe-include");
  });

  test("nodes are listed with -n as kubectl lists them: all of them, and without a word", async () => {
    const all = await run(["get", "nodes", "-o", "name"]);
    expect(all.stdout).toContain("node/");
    expect(await run(["get", "nodes", "-n", namespace, "-o", "name"])).toEqual({ ...all, stderr: "" });
    const wanted = await fleet.kubectl(["get", "nodes", "-o", "name"]);
    expect(all.stdout.replaceAll("east/", "")).toBe(wanted.stdout);
  });

  test("a viewer is told that Secrets aren't for him, as kubectl tells him", async () => {
    expect((await run(["get", "secrets"])).code).toBe(0);
    const refused = await run(["get", "secrets"], viewer);
    expect(refused).toMatchObject({ code: 7, stdout: "", stderr: expect.stringContaining("(OBJECTS_FORBIDDEN)") });
    const both = await run(["get", "nodes,secrets", "-o", "json"], viewer);
    expect(both.code).toBe(0);
    expect(both.stderr).toContain("Warning: you may not list secrets in east: they aren't in the answer.\n");
    expect(JSON.parse(both.stdout).clusters[0].missing).toEqual([{ kind: "secrets", reason: "forbidden" }]);
  });

  test.each([[["get", "pods"]], [["events"]], [["change", "list"]], [["top", "cluster"]], [["cluster", "list"]]])(
    "%j: a robot without a role is told so, and not to add its first cluster",
    async (args) => {
      const { code, stdout, stderr } = await run(args, stranger);
      expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: "" });
      expect(stderr).not.toContain("cluster add");
    },
  );

  test("empty is exit code 0, says so on stderr, and is a List in JSON", async () => {
    const none = ["get", "pods", "-n", "there-is-no-such-namespace"];
    const said = "No resources found in the namespace there-is-no-such-namespace.\n";
    expect(await run(none)).toEqual({ code: 0, stdout: "", stderr: said });
    const json = await run([...none, "-o", "json"]);
    expect(json).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: "List", items: [] });
  });

  test("an object that was named and isn't there is exit code 4", async () => {
    const refused = await run(["get", "pod/web-9", "-n", namespace]);
    expect(refused).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("(CLI_OBJECT_NOT_FOUND)") });
  });
});

function run(args: readonly string[], token?: string): Promise<CommandResult> {
  const env = token === undefined ? {} : { env: { FAIRLEAD_TOKEN: token } };
  return fleet.hub.cli(args, { ...env, allowFailure: true });
}

async function makeRobot(name: string, where?: readonly string[]): Promise<string> {
  await fleet.hub.cli(["access", "robot", "create", name]);
  if (where) await fleet.hub.cli(["access", "binding", "create", "viewer", "--robot", name, ...where]);
  return (await fleet.hub.cli(["access", "robot", "token", "create", name, "--token-out", "-"])).stdout.trim();
}
