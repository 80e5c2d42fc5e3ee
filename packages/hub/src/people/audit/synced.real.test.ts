// The records that an answer depends on are on disk before it is given: played with the disk's own call held back, or
// failing.
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello, type TestAnswer, type TestHub } from "../../hub.fixture.ts";

let hub: TestHub;
let folder: string;
let fileType: FileHandle;
const reached: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-synced-"));
  hub = await openTestHub({ config: { inMemory: false, dataDir: folder, limitUserApiRequests: 100 } });
  const probe = await open(join(folder, "probe"), "w");
  fileType = Object.getPrototypeOf(probe);
  await probe.close();
  const link = await dial(await enroll("east", hub), hub, (stream) => {
    reached.push(`${stream.open.method} ${stream.open.path}`);
    return answer("{}")(stream);
  });
  await sayHello(link, "east");
}, 120_000);
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => vi.restoreAllMocks());

describe("a request that changes something", () => {
  it("on the hub is answered when its record is synced, and what only reads doesn't wait", async () => {
    const gate = Promise.withResolvers<void>();
    const sync = vi.spyOn(fileType, "datasync").mockImplementation(() => gate.promise);
    let isAnswered = false;
    const change = post("/api/v1/robots", { name: "synced" }).finally(() => (isAnswered = true));
    await expect.poll(() => sync.mock.calls.length, patient).toBeGreaterThan(0);
    expect((await get("/api/v1/robots/synced")).status).toBe(200);
    await sleep(200);
    expect(isAnswered).toBe(false);
    gate.resolve();
    expect((await change).status).toBe(201);
  });

  it("in a cluster reaches it when its beginning is synced, and what only reads doesn't wait", async () => {
    const gate = Promise.withResolvers<void>();
    const sync = vi.spyOn(fileType, "datasync").mockImplementation(() => gate.promise);
    const path = "/k8s/clusters/east/api/v1/namespaces/a/configmaps";
    const change = post(path, {});
    await expect.poll(() => sync.mock.calls.length, patient).toBeGreaterThan(0);
    expect((await get(path)).status).toBe(200);
    expect(reached).toEqual([`GET ${path.slice(18)}`]);
    gate.resolve();
    expect((await change).status).toBe(200);
    expect(reached.at(-1)).toBe(`POST ${path.slice(18)}`);
  });

  it("shares one sync with others that come meanwhile", async () => {
    const gate = Promise.withResolvers<void>();
    const sync = vi.spyOn(fileType, "datasync").mockImplementationOnce(() => gate.promise);
    const changes = Array.from({ length: 40 }, (_, index) => post("/api/v1/robots", { name: `group-${index}` }));
    await expect.poll(() => sync.mock.calls.length, patient).toBe(1);
    await expect
      .poll(async () => (await listRobots()).filter((name) => name.startsWith("group-")).length, patient)
      .toBe(40);
    gate.resolve();
    expect((await Promise.all(changes)).every(({ status }) => status === 201)).toBe(true);
    expect(sync.mock.calls.length).toBeLessThan(10);
  });

  it.each(["EIO", "ENOSPC"])("isn't done in a cluster when its record can't be synced (%s)", async (code) => {
    vi.spyOn(fileType, "datasync").mockImplementation(() => Promise.reject(Object.assign(new Error(code), { code })));
    const before = reached.length;
    const refused = await post("/k8s/clusters/east/api/v1/namespaces/a/secrets", {});
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining("audit records")]);
    expect(reached).toHaveLength(before);
    const done = await post("/api/v1/robots", { name: code.toLowerCase() });
    expect([done.status, (done.json as { code: string }).code]).toEqual([503, "AUDIT_UNSYNCED"]);
    expect(hub.lines.join("")).toContain("audit records can't be written to their journal");
    vi.restoreAllMocks();
    expect((await post("/api/v1/robots", { name: `after-${code.toLowerCase()}` })).status).toBe(201);
    expect((await get("/api/v1/audit/verify")).json).toMatchObject({ ok: true });
  });
});

async function listRobots(): Promise<string[]> {
  return ((await get("/api/v1/robots")).json as { items: { name: string }[] }).items.map(({ name }) => name);
}

function get(path: string): Promise<TestAnswer> {
  return call(hub.hub.peopleUrl, path, { headers: hub.admin });
}

function post(path: string, body: object): Promise<TestAnswer> {
  const headers = { ...hub.admin, "content-type": "application/json" };
  return call(hub.hub.peopleUrl, path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** For a machine that has much else to do: a held sync that is given up holds the hub's end as well. */
const patient = { timeout: 60_000 };
