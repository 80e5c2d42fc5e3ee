import type { GitopsFlowStatus, GitopsStatus } from "@fairlead/contract";
import { expect, test } from "vitest";
import { hubNow } from "../../testing/hub.fixture.ts";
import { signedIn } from "../../testing/signed-in.fixture.ts";

const ago = (seconds: number): string => new Date(hubNow - seconds * 1000).toISOString();
const flow: GitopsFlowStatus = {
  flow: "applications",
  from: "hub",
  state: "open",
  objects: 40,
  dirty: 2,
  unacked: 1,
  oldestChangeAt: ago(30),
  comparedAt: ago(300),
  refusedCount: 1,
  refused: [{ object: "east/shop", reason: "quota", message: "exceeded\u001b[31m" }],
};
const east: GitopsStatus = {
  cluster: "east",
  mode: "managed",
  mapping: "namespace",
  servedBy: "hub_a",
  since: ago(7_200),
  toldAt: ago(3),
  flows: [flow],
  guard: {
    count: 3,
    digest: "d1",
    heldSince: ago(60),
    deletions: [{ uid: "u1", name: "east/one", leftAt: ago(60) }],
  },
};
const west: GitopsStatus = { cluster: "west", mode: "autonomous", mapping: "namespace", flows: [] };

async function signedInToBoth() {
  const harness = await signedIn();
  harness.hub.routes.set("GET /api/v1/gitops?limit=100", () => ({ status: 200, body: { items: [east, west] } }));
  harness.hub.routes.set("GET /api/v1/clusters/east/gitops/status", () => ({ status: 200, body: east }));
  harness.hub.routes.set("GET /api/v1/clusters/west/gitops/status", () => ({ status: 200, body: west }));
  return harness;
}

test("all clusters are a table, and who has something to confirm is told how", async () => {
  await using harness = await signedInToBoth();
  const { stdout, stderr } = await harness.cli.run(["gitops", "status"]);
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["CLUSTER", "MODE", "SERVED", "OBJECTS", "DIRTY", "OLDEST", "REFUSED", "HELD", "SEEN"],
    ["east", "managed", "for 2h", "40", "2", "30s", "1", "3", "3s"],
    ["west", "autonomous", "no", "-", "-", "-", "-", "-", "-"],
    [""],
  ]);
  expect(stderr).toContain("fairlead gitops confirm east");
});

test("one cluster is shown with its flows, what is refused and why, and what waits to be deleted", async () => {
  await using harness = await signedInToBoth();
  const { stdout } = await harness.cli.run(["gitops", "status", "east"]);
  expect(stdout).toMatch(/Served: +by hub_a for 2h/);
  expect(stdout).toMatch(/applications +hub +open +40 +2 +1 +30s +5m +1\n/);
  expect(stdout).toMatch(/applications +east\/shop +quota +exceeded\ufffd\[31m\n/);
  expect(stdout).toMatch(/east\/one +60s\nand 2 more\n/);
  expect((await harness.cli.run(["gitops", "status", "west"])).stdout).toMatch(/Served: +by no hub now/);
});

test("a deletion is confirmed as it was shown, and only when that is confirmed", async () => {
  await using harness = await signedInToBoth();
  const asked: unknown[] = [];
  harness.hub.routes.set("POST /api/v1/clusters/east/gitops/confirm", (body) => {
    asked.push(JSON.parse(body));
    return { status: 200, body: { cluster: "east", count: 3 } };
  });
  const unasked = await harness.cli.run(["gitops", "confirm", "east"]);
  expect(unasked.stderr).toContain("CLI_CONFIRMATION_NEEDED");
  expect(asked).toEqual([]);
  const { stdout, stderr } = await harness.cli.run(["gitops", "confirm", "east", "--yes"]);
  expect(stderr).toContain("east/one");
  expect(stdout).toBe("3 applications are deleted in 'east'.\n");
  expect(asked).toEqual([{ count: 3, digest: "d1" }]);
});

test("where nothing waits there is nothing to confirm", async () => {
  await using harness = await signedInToBoth();
  expect((await harness.cli.run(["gitops", "confirm", "west", "--yes"])).stderr).toContain("CLI_DELETIONS_NONE");
});

test("of a cluster's settings only what is named is sent", async () => {
  await using harness = await signedInToBoth();
  const asked: unknown[] = [];
  harness.hub.routes.set("PUT /api/v1/clusters/east/gitops", (body) => {
    asked.push(JSON.parse(body));
    return { status: 200, body: { cluster: "east", mode: "managed", mapping: "namespace", generation: 2 } };
  });
  await harness.cli.run(["cluster", "set", "east", "--gitops-mode", "managed"]);
  const rules = ["--gitops-adoption", "never", "--gitops-create-namespaces", "no", "--gitops-guard-percent", "35"];
  await harness.cli.run(["cluster", "set", "east", ...rules]);
  expect(asked).toEqual([
    { mode: "managed" },
    { rules: { adoption: "never", createNamespaces: false, guardPercent: 35 } },
  ]);
  expect((await harness.cli.run(["cluster", "set", "east"])).stderr).toContain("CLI_USAGE");
  for (const share of ["0", "101", "1.5"])
    expect((await harness.cli.run(["cluster", "set", "east", "--gitops-guard-percent", share])).code).toBe(2);
});
