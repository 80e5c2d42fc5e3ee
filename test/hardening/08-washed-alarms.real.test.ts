// An agent that raised an alarm can't make it go away again by making noise.
import { once } from "node:events";
import { request } from "node:https";
import type { ClusterAlarm, ClusterDetail, ClusterList } from "@fairlead/contract";
import { createCsr } from "@fairlead/protocol/x509";
import { startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

let hub: TestHub;
let token: string;
beforeAll(async () => {
  hub = await startHub();
  const made = await ask("POST", "/api/v1/clusters", { name: "east", roles: ["proxy"] });
  token = (made.json() as { join: { token: string } }).join.token;
  expect(await enroll()).toBe(200);
});
afterAll(() => hub[Symbol.asyncDispose]());

describe("08: an alarm that an attacker raised", () => {
  it("stays through 220 events, and is counted", async () => {
    expect(await enroll()).toBe(409);
    await makeNoise(220);
    const { alarms = [], events } = await show();
    expect(events.filter(({ level }) => level === "alarm")).toEqual([]);
    expect(alarms).toMatchObject([{ type: "token-misused", count: 1, isSum: false }]);
    const list = (await ask("GET", "/api/v1/clusters")).json() as ClusterList;
    expect(list.items).toMatchObject([{ name: "east", alarmCount: 1 }]);
  });

  it("isn't buried by any number of others, of which each is another one", async () => {
    const before = await listAlarms();
    for (let attempt = 0; attempt < 40; attempt += 1) await enroll();
    const alarms = await listAlarms();
    expect(alarms).toHaveLength(21);
    expect(alarms).toContainEqual(before[0]);
    expect(alarms.reduce((sum, { count }) => sum + count, 0)).toBe(41);
    expect(alarms.filter(({ isSum }) => isSum)).toMatchObject([{ count: 21 }]);
  });

  it("is there after a restart of the hub", async () => {
    const before = await listAlarms();
    await hub.stop("KILL");
    await hub.start();
    expect(await listAlarms()).toEqual(before);
    expect((await hub.cli(["cluster", "get", "east"])).stdout).toContain("token-misused");
  });

  it("stays when it was raised again since someone looked", async () => {
    const [sum] = (await listAlarms()).filter(({ isSum }) => isSum);
    await enroll();
    const seen = await ask("POST", `/api/v1/clusters/east/alarms/${sum?.id}/seen`, { count: sum?.count });
    expect([seen.status, (seen.json() as { code: string }).code]).toEqual([409, "CLUSTER_ALARM_AGAIN"]);
    expect(await listAlarms()).toHaveLength(21);
  });

  it("goes when someone says that it was seen, which is on record", async () => {
    const { stdout, stderr } = await hub.cli(["cluster", "alarm", "list", "east", "--seen"]);
    expect(stdout).toContain("token-misused");
    expect(stderr).toContain("Seen: 21.");
    const { alarms, alarmCount, events } = await show();
    expect([alarms, alarmCount]).toEqual([[], 0]);
    expect(events[0]).toMatchObject({ type: "alarm-seen", message: expect.stringContaining("admin has seen") });
    const audit = await hub.cli(["audit", "list", "--json", "--limit", "100"]);
    expect(audit.stdout).toContain("/seen");
    expect((await hub.cli(["cluster", "alarm", "list", "east"])).stderr).toContain("No alarms.");
  });
});

/** With a key of its own each time, as someone would who got hold of the token. */
async function enroll(): Promise<number> {
  const { csrDer } = await createCsr({});
  const body = JSON.stringify({ token, csrDer: Buffer.from(csrDer).toString("base64"), roles: ["proxy"] });
  const headers = { "content-type": "application/json" };
  const call = request(`${hub.agentUrl}/agent/v1/enroll`, { method: "POST", ca: hub.caPem, headers, agent: false });
  call.end(body);
  const [answer] = (await once(call, "response")) as [{ statusCode: number; resume(): void }];
  answer.resume();
  return answer.statusCode;
}

/** Events of another kind, as reconnects make them. */
async function makeNoise(events: number): Promise<void> {
  for (let index = 0; index < events; index += 1) {
    expect((await ask("POST", "/api/v1/clusters/east/tokens", {})).status).toBe(201);
  }
}

async function show(): Promise<ClusterDetail> {
  return (await ask("GET", "/api/v1/clusters/east")).json() as ClusterDetail;
}

async function listAlarms(): Promise<ClusterAlarm[]> {
  return (await show()).alarms ?? [];
}

function ask(method: string, path: string, body?: object): ReturnType<typeof requestHub> {
  return requestHub(hub, path, { method, ...(body && { body: JSON.stringify(body) }) });
}
