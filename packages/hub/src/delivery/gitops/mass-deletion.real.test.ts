// A hub with its own store, and a cluster that has what the hub sent it.
import type { GitopsStatus } from "@fairlead/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, openTestHub, type TestAnswer, type TestHub } from "../../hub.fixture.ts";
import { ScriptedAgent } from "./scripted-agent.fixture.ts";

let harness: TestHub;
beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

it("holds a mass deletion back until just that one is confirmed, also over a restart of the exchange", async () => {
  await using agent = await join("east", 12);
  await remove("east", "app-1");
  await expect.poll(() => agent.names).not.toContain("east/app-1");
  expect((await status("east")).guard).toBeUndefined();

  for (const index of [2, 3, 4, 5, 6, 7]) await remove("east", `app-${index}`);
  await expect.poll(async () => (await status("east")).guard?.count).toBe(6);
  const shown = (await status("east")).guard;
  expect(shown?.deletions.map(({ name }) => name)).toEqual([2, 3, 4, 5, 6, 7].map((index) => `east/app-${index}`));
  expect(agent.copies.size).toBe(11);
  expect((await metrics()).match(/^fairlead_gitops_held_deletions (\d+)$/m)?.[1]).toBe("6");

  await agent.disconnect();
  await expect.poll(async () => (await status("east")).servedBy).toBeUndefined();
  await agent.connect();
  await remove("east", "app-8");
  await expect.poll(async () => (await status("east")).guard?.count).toBe(7);
  expect(agent.copies.size).toBe(11);
  expect(await confirm("east", shown)).toBe("GITOPS_DELETIONS_CHANGED");
  expect(await confirm("east", (await status("east")).guard)).toBeUndefined();
  await expect.poll(() => agent.names).toEqual(["east/app-0", "east/app-10", "east/app-11", "east/app-9"]);
  expect(await confirm("east", shown)).toBe("GITOPS_DELETIONS_NONE");
  await expect
    .poll(() => recorded("/api/v1/clusters/east/gitops/confirm"))
    .toContainEqual(expect.stringMatching(/^7 deletions, [0-9a-f]{32}$/));
});

it("deletes nothing for a namespace that was emptied while the cluster was away, and goes on when it is back", async () => {
  await using agent = await join("west", 6);
  await agent.disconnect();
  const rows = await harness.store.db
    .deleteFrom("gitops_object")
    .where("namespace", "=", "west")
    .returningAll()
    .execute();
  await agent.connect();
  await expect.poll(async () => (await status("west")).guard?.count).toBe(6);
  expect(agent.copies.size).toBe(6);

  // As a restored backup brings them. In one transaction: a reader passes a revision that has no rows yet.
  await harness.store.db.transaction().execute(async (db) => {
    const counter = sql<{ value: string }>`
      update change_counter set value = value + 1 where topic = 'gitops-objects' returning value
    `;
    const {
      rows: [{ value } = { value: "0" }],
    } = await counter.execute(db);
    await db
      .insertInto("gitops_object")
      .values(rows.map((row) => ({ ...row, revision: value })))
      .execute();
  });
  await ask("PUT", pathOf("west", "late"), { spec: { project: "default" } });
  await expect.poll(() => agent.copies.size).toBe(7);
  await expect.poll(async () => (await status("west")).guard).toBeUndefined();
});

it("holds back applications that are being deleted with their resources, and tells that when it is confirmed", async () => {
  await using agent = await join("south", 5, { finalizers: ["resources-finalizer.argocd.argoproj.io"] });
  const before = new Set(agent.versions.values());
  for (let index = 0; index < 5; index++) await remove("south", `app-${index}`);
  await expect.poll(async () => (await status("south")).guard?.count).toBe(5);
  expect(new Set(agent.versions.values())).toEqual(before);
  await confirm("south", (await status("south")).guard);
  await expect.poll(() => [...agent.versions.values()].filter((version) => before.has(version))).toEqual([]);
});

it("takes a share and a number of each cluster's own, and shows how flows stand", async () => {
  await using agent = await join("north", 3);
  await ask("PUT", "/api/v1/clusters/north/gitops", { rules: { guardMin: 1, guardPercent: 50, adoption: "never" } });
  await expect.poll(() => agent.isCalling).toBe(false);
  await agent.connect();
  await expect
    .poll(() => agent.hellos.at(-1)?.rules)
    .toMatchObject({
      adoption: "never",
      onUidMismatch: "recreate",
      guardedDeletionsPercent: 50,
      guardedDeletionsMin: 1,
    });
  for (const index of [0, 1]) await remove("north", `app-${index}`);
  await expect.poll(async () => (await status("north")).guard?.count).toBe(2);
  await expect
    .poll(async () => (await status("north")).flows)
    .toContainEqual(expect.objectContaining({ flow: "applications", from: "hub", state: "open", refused: [] }));
  expect(await status("north")).toMatchObject({ mode: "managed", servedBy: expect.any(String) });
  const { json } = await ask("GET", "/api/v1/gitops?limit=100");
  expect((json as { items: GitopsStatus[] }).items.map(({ cluster }) => cluster)).toContain("north");
});

it("lets nobody see or confirm without the right to", async () => {
  await ask("POST", "/api/v1/clusters", { name: "closed" });
  await ask("POST", "/api/v1/robots", { name: "watcher" });
  const subject = { kind: "robot", name: "watcher" };
  await ask("POST", "/api/v1/bindings", { subject, role: "viewer", clusters: { all: true } });
  const made = (await ask("POST", "/api/v1/robots/watcher/tokens", { ttlMs: 60_000 })).json as { token: string };
  const headers = { authorization: `Bearer ${made.token}` };
  const path = "/api/v1/clusters/closed/gitops/status";
  expect((await call(harness.hub.peopleUrl, path, { headers })).status).toBe(403);
  const refused = await call(harness.hub.peopleUrl, "/api/v1/clusters/closed/gitops/confirm", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ count: 1, digest: "x" }),
  });
  expect(refused.status).toBe(403);
  const { json } = await call(harness.hub.peopleUrl, "/api/v1/gitops", { headers });
  expect(json).toEqual({ items: [] });
});

async function join(cluster: string, count: number, more: object = {}): Promise<ScriptedAgent> {
  const { json } = await ask("POST", "/api/v1/clusters", { name: cluster, roles: ["gitops"] });
  await ask("PUT", `/api/v1/clusters/${cluster}/gitops`, { mode: "managed" });
  for (let index = 0; index < count; index++)
    await ask("PUT", pathOf(cluster, `app-${index}`), { spec: { project: "default" }, ...more });
  const { token } = (json as { join: { token: string } }).join;
  const agent = new ScriptedAgent({ on: harness, cluster, token });
  await agent.connect();
  await expect.poll(() => agent.copies.size).toBe(count);
  return agent;
}

async function remove(cluster: string, name: string): Promise<void> {
  expect((await ask("DELETE", pathOf(cluster, name))).status).toBe(204);
}

async function status(cluster: string): Promise<GitopsStatus> {
  return (await ask("GET", `/api/v1/clusters/${cluster}/gitops/status`)).json as GitopsStatus;
}

async function confirm(cluster: string, shown: GitopsStatus["guard"]): Promise<string | undefined> {
  const { count, digest } = shown ?? { count: 1, digest: "none" };
  const { json } = await ask("POST", `/api/v1/clusters/${cluster}/gitops/confirm`, { count, digest });
  return (json as { code?: string }).code;
}

async function metrics(): Promise<string> {
  return (await ask("GET", "/metrics")).text;
}

async function recorded(path: string): Promise<string[]> {
  const { json } = await ask("GET", "/api/v1/audit?limit=100");
  const records = (json as { items: { path: string; name?: string }[] }).items;
  return records.filter((record) => record.path === path).map(({ name = "" }) => name);
}

function ask(method: string, path: string, body?: object): Promise<TestAnswer> {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return call(harness.hub.peopleUrl, path, { method, headers: { ...harness.admin, ...json }, ...content });
}

function pathOf(cluster: string, name: string): string {
  return `/api/v1/clusters/${cluster}/applications/${cluster}/${name}`;
}
