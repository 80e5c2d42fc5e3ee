import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";

const content = "name: ours\nextends: truefoundry\n# \u001b[2J\n";
const changedAt = new Date(hubNow).toISOString();
const ours = { name: "ours", isBuiltIn: false, changedAt, changedBy: "anna" };
const choice = { cluster: "east", profile: "ours", generation: 2 };

async function openHarness() {
  await using opened = new AsyncDisposableStack();
  const hub = opened.use(await startContractHub());
  const cli = opened.use(await createCli());
  await cli.signIn(hub);
  const asked: unknown[] = [];
  const answer = (route: string, status: number, body: unknown) =>
    hub.routes.set(route, (text) => {
      asked.push(text === "" ? undefined : JSON.parse(text));
      return { status, body };
    });
  hub.routes.set("GET /api/v1/profile-choices", () => ({ status: 200, body: { items: [choice] } }));
  const owned = opened.move();
  return { cli, asked, answer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test("a profile is made of a file, listed with its clusters, shown as it was written, and removed", async () => {
  await using harness = await openHarness();
  const { cli, asked, answer } = harness;
  answer("PUT /api/v1/profiles/ours", 200, { ...ours, content });
  answer("GET /api/v1/profiles/ours", 200, { ...ours, content });
  answer("GET /api/v1/profiles", 200, { items: [{ name: "fairlead", isBuiltIn: true }, ours] });
  answer("DELETE /api/v1/profiles/ours", 204, undefined);
  const applied = await cli.run(["profile", "apply", "-f", "-"], { stdin: content.replace("\u001b", "") });
  expect(applied.stdout).toBe("Profile 'ours' is there. Clusters are examined by it: east.\n");
  expect(asked).toEqual([{ content: content.replace("\u001b", "") }]);
  const { stdout } = await cli.run(["profile", "list"]);
  expect(stdout).toMatch(/^fairlead +- +- +-$/m);
  expect(stdout).toMatch(/^ours +east +\S+ +anna$/m);
  expect((await cli.run(["profile", "get", "ours"])).stdout).toBe("name: ours\nextends: truefoundry\n# �[2J\n");
  expect((await cli.run(["profile", "delete", "ours", "--yes"])).stdout).toBe("Profile 'ours' is removed.\n");
});

test("a mistake is named by line and column, and the hub isn't asked", async () => {
  await using harness = await openHarness();
  const { code, stderr } = await harness.cli.run(["profile", "apply", "-f", "-"], { stdin: `${content}log: {}\n` });
  expect(stderr).toContain("stdin:4:1: the profile has no field 'log'; did you mean 'logs'?");
  expect(code).not.toBe(0);
  expect(harness.asked).toEqual([]);
});

test("a profile is chosen for a cluster, and nothing else of it is set", async () => {
  await using harness = await openHarness();
  harness.answer("PUT /api/v1/clusters/east/profile", 200, choice);
  const { stdout } = await harness.cli.run(["cluster", "set", "east", "--fitness-profile", "ours"]);
  expect(stdout).toBe("'east' is examined by 'ours', generation 2.\n");
  expect(harness.asked).toEqual([{ profile: "ours" }]);
});
