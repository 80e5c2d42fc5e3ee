// The hub's disk breaks: it is full, read-only, or fails. People who ask for a change are told by a code. Acknowledged
// changes stay. When the disk is well again the hub goes on without anybody's help.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ForgetfulDisk, mountForgetful, startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { HubPicture, Ledger } from "../power-cut/index.ts";

let disk: ForgetfulDisk;
let hub: TestHub;
let ledger: Ledger;
let count = 0;
const undo = new AsyncDisposableStack();
beforeAll(async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "fairlead-hub-"));
  undo.defer(() => rm(stateDir, { recursive: true, force: true }));
  disk = undo.use(await mountForgetful({ folder: join(stateDir, "data") }));
  hub = undo.use(await startHub({ stateDir, launcher: disk.launcher }));
  ledger = new Ledger(() => disk.position());
});
afterAll(() => undo.disposeAsync());

describe("a hub whose disk", () => {
  test.each<[string, () => Promise<void>, string]>([
    [
      "can't sync the journal of audit records",
      () => disk.fail({ operation: "fsync", path: "audit-journal", errno: "EIO" }),
      "AUDIT_UNSYNCED",
    ],
    [
      "can't sync what the database writes ahead",
      () => disk.fail({ operation: "fsync", path: "/pg_wal/", errno: "EIO" }),
      "STORE_DOWN",
    ],
    ["syncs nothing", () => disk.fail({ operation: "fsync", path: ".", errno: "EIO" }), "STORE_DOWN"],
    ["takes no writes", () => disk.fail({ operation: "write", path: ".", errno: "EIO" }), "STORE_DOWN"],
    ["is read-only", () => disk.makeReadOnly(), "STORE_READ_ONLY"],
    ["is full", () => disk.fill(), "STORE_FULL"],
  ])("%s says so, loses nothing, and goes on when it is well again", async (_, breakDisk, code) => {
    for (let index = 0; index < 5; index++) expect(await makeRobot()).toBe("made");
    await breakDisk();
    const answers = new Set<string>();
    await expect.poll(async () => remember(answers, await makeRobot()), waiting).toBe(code);
    // Requests under way when the database gave up, and those before the reason is known, may get other codes.
    for (const each of ["made", "AUDIT_UNSYNCED", "STORE_FAILED", "STORE_DOWN", code]) answers.delete(each);
    expect([...answers]).toEqual([]);

    await disk.heal();
    await expect.poll(makeRobot, waiting).toBe("made");
    // Records are in the journal at once, and in the list when the database has taken them.
    await expect.poll(findBroken, waiting).toEqual([]);
    expect(hub.process.hasExited).toBe(false);
    const { stdout } = await hub.cli(["audit", "verify", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  test("has broken in all these ways has what it acknowledged meanwhile when it is killed and starts again", async () => {
    await hub.stop("KILL");
    await hub.start();
    expect(ledger.facts.length).toBeGreaterThan(60);
    expect(await findBroken()).toEqual([]);
  });
});

const waiting = { timeout: 60_000, interval: 50 };

function remember<T>(set: Set<T>, value: T): T {
  set.add(value);
  return value;
}

/** `made`, or the code of the refusal. */
async function makeRobot(): Promise<string> {
  const name = `r-${count++}`;
  const requestId = `broken-disk-${count}`;
  const answer = await requestHub(hub, "/api/v1/robots", {
    method: "POST",
    body: JSON.stringify({ name }),
    headers: { "X-Request-Id": requestId },
  });
  if (answer.status !== 201) return (answer.json() as { code: string }).code;
  await ledger.note(`robot ${name} is there`, (picture) => picture.hasRobot(name));
  await ledger.note(`the making of ${name} is on record`, (picture) => picture.hasRecord(requestId));
  return "made";
}

async function findBroken(): Promise<string[]> {
  const picture = new HubPicture(hub);
  const broken: string[] = [];
  for (const { text, holds } of ledger.facts) if (!(await holds(picture))) broken.push(text);
  return broken;
}
