// Two hubs on one database, each with files of its own, as while a ConfigMap reaches one node after another.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { DeclarationList } from "@fairlead/contract";
import { startHubs, type TestHub, type TestHubs } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readMetric } from "../fleet/metrics.ts";
import { requestHub } from "../fleet/request-hub.ts";

const token = `flb_${"8".repeat(52)}`;
const undo = new AsyncDisposableStack();
let folder: string;
let hubs: TestHubs;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-differ-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  for (const index of [0, 1]) {
    await mkdir(folderOf(index));
    await write(index, robot + binding);
  }
  hubs = undo.use(await startHubs({ count: 2, ownArgs: (index) => ["--declarations", folderOf(index)] }));
});
afterAll(() => undo.disposeAsync());

test("a right that new files took away doesn't come back by a hub that is started with the old ones", async () => {
  const [first, second] = hubs.hubs as [TestHub, TestHub];
  for (const hub of [first, second]) await expect.poll(() => askAs(hub)).toBe(200);
  await write(0, robot);
  for (const hub of [first, second]) await expect.poll(() => askAs(hub)).toBe(403);
  await expect.poll(() => problemOf(second)).toMatchObject({ code: "DECLARATIONS_DIFFER" });

  await second.stop("KILL");
  await second.start();
  // More than one look of each at its files.
  for (let seconds = 0; seconds < 7; seconds++) {
    for (const hub of [first, second]) expect(await askAs(hub)).toBe(403);
    await setTimeout(1_000);
  }
  expect(await problemOf(second)).toMatchObject({ code: "DECLARATIONS_DIFFER" });
  expect(await readMetric(second, "fairlead_declarations_failing")).toBe(1);
  expect(await problemOf(first)).toBeUndefined();
  expect(await readMetric(first, "fairlead_declarations_failing")).toBe(0);

  await write(1, robot);
  await expect.poll(() => problemOf(second)).toBeUndefined();
  await write(1, robot + binding);
  for (const hub of [first, second]) await expect.poll(() => askAs(hub)).toBe(200);
});

async function askAs(hub: TestHub): Promise<number> {
  return (await requestHub(hub, "/api/v1/hubs", { headers: { authorization: `Bearer ${token}` } })).status;
}

async function problemOf(hub: TestHub): Promise<DeclarationList["problem"]> {
  return ((await requestHub(hub, "/api/v1/declarations")).json() as DeclarationList).problem;
}

function folderOf(index: number): string {
  return join(folder, String(index));
}

async function write(index: number, text: string): Promise<void> {
  await writeFile(join(folderOf(index), "all.yaml"), text);
}

const robot = `apiVersion: fairlead.dev/v1
kind: Robot
name: ci
tokens:
  - sha256: ${createHash("sha256").update(token).digest("hex")}
    expiresAt: 2099-01-01T00:00:00Z
---
`;
const binding = `apiVersion: fairlead.dev/v1
kind: Binding
name: ci
subject: { kind: robot, name: ci }
role: operator
clusters: { all: true }
`;
