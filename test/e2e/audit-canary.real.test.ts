// Secrets pass and must not stay: a word that occurs nowhere else is put wherever a secret can be, and then looked for
// in all that hub and agent wrote.
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditRecord } from "@fairlead/contract";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runPod } from "../fleet/pods.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const canary = `canary${randomBytes(8).toString("hex")}`;
const base64 = Buffer.from(canary).toString("base64");
let fleet: Fleet;
let folder: string;
let auditLog: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-canary-"));
  auditLog = join(folder, "audit.jsonl");
  const args = ["--audit-log", auditLog, "--log-level", "trace"];
  fleet = await startFleet({ hub: { args }, agentArgs: ["--log-level", "trace"] });
  await runPod(fleet, "web");
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test("bodies, tokens, Secrets, commands and header values pass, and leave no trace in logs and records", async () => {
  const base = `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}`;
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { password: base64 } };
  const body = JSON.stringify(secret);
  const send = (path: string, options: Parameters<typeof requestHub>[2] = {}): ReturnType<typeof requestHub> =>
    requestHub(fleet.hub, path, options);

  // Secret data: written, changed, listed, watched, refused, and told in an error.
  expect((await send(`${base}/secrets`, { method: "POST", body })).status).toBe(201);
  expect((await send(`${base}/secrets/s`, { method: "PUT", body })).status).toBe(200);
  expect((await send(`${base}/secrets`)).text).toContain(base64);
  expect((await send(`${base}/secrets?watch=1&timeoutSeconds=1`)).text).toContain(base64);
  expect((await send(`${base}/secrets`, { method: "POST", body: `{"kind":"${canary}"` })).status).toBe(400);
  // Queries, among them those of services behind the API server, which may hold anything.
  await send(`${base}/pods?labelSelector=app%3D${canary}&fieldSelector=spec.nodeName%3D${canary}&limit=1`);
  await send(`${base}/pods/web:80/proxy/?token=${canary}`);
  await send(`${base}/pods/web/exec?command=${canary}`);
  await send(`/api/v1/clusters?token=${canary}`);
  await send(`/api/v1/audit?user=${canary}`);
  // Tokens that nobody knows, in all the places for tokens.
  const tokens = [`Bearer fla_${canary}`, `Bearer ${canary}`, `Basic ${btoa(`x:${canary}`)}`, canary];
  for (const authorization of tokens) {
    expect((await send(`${base}/pods`, { authorization })).status).toBe(401);
    expect((await send("/api/v1/clusters", { authorization })).status).toBe(401);
  }
  // Header values, known and unknown ones; of those that are kept, what looks like a token.
  const headers = {
    cookie: canary,
    "x-anything": canary,
    "impersonate-extra-x": canary,
    referer: `https://x/${canary}`,
  };
  await send(`${base}/pods`, { headers });
  await send(`${base}/pods`, { headers: { "user-agent": `Bearer ${canary}`, "kubectl-command": `Bearer ${canary}` } });
  await send("/api/v1/clusters", { method: "POST", body: JSON.stringify({ name: "x", [canary]: canary }) });
  // Commands in a pod, what is typed into them and what they print.
  const shell = ["exec", "-i", "web", "--", "sh", "-c", `cat; echo ${canary}`];
  const answer = await fleet.kubectl(shell, { input: canary });
  expect(answer.stdout).toBe(`${canary}${canary}\n`);
  await fleet.kubectl(["exec", "web", "--", "sh", "-c", `echo ${canary} >&2; exit 3`], { allowFailure: true });

  const records = await readRecords();
  const made = { status: 201, verb: "create", resource: "secrets", namespace: fleet.namespace.name };
  expect(records).toContainEqual(expect.objectContaining(made));
  const exec = { subresource: "exec", name: "web", cluster: "east", who: expect.objectContaining({ name: "admin" }) };
  expect(records).toContainEqual(expect.objectContaining({ ...exec, phase: "start", verb: "create" }));
  expect(records).toContainEqual(expect.objectContaining({ ...exec, phase: "end", status: 101 }));
  await fleet.hub.stop();
  await fleet.joined.agent.stop();

  const places: [string, string][] = [
    ["the hub's log", await readFile(fleet.hub.logFile, "utf8")],
    ["the agent's log", await readFile(fleet.joined.agent.logFile, "utf8")],
    ["the audit log", await readFile(auditLog, "utf8")],
    ["the audit records", JSON.stringify(records)],
  ];
  for (const [place, text] of places) {
    expect(text.length, place).toBeGreaterThan(1_000);
    for (const secretText of [canary, base64, btoa(`x:${canary}`), fleet.hub.adminToken]) {
      // The admin's token is shown once, by the start before its use; the rest of the log must be without it.
      const shown = place === "the hub's log" && secretText === fleet.hub.adminToken ? 1 : 0;
      const found = text.split("\n").filter((line) => line.includes(secretText));
      expect(found, place).toHaveLength(shown);
    }
  }
  expect(await readdir(join(fleet.hub.dataDir, "recordings"))).toEqual([]);
});

test("both sides have the same request under the same id, with who it was", async () => {
  await Promise.all([fleet.hub.start(), fleet.joined.agent.start()]);
  const path = `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/pods/web`;
  await waitUntil(async () => (await requestHub(fleet.hub, path)).status === 200, { timeoutMs: 60_000 });
  await requestHub(fleet.hub, path, { headers: { "x-request-id": "both-sides" } });
  const find = async (): Promise<Record<string, unknown>[]> =>
    (await readFile(fleet.joined.agent.logFile, "utf8"))
      .split("\n")
      .filter((line) => line.includes('"audit":true') && line.includes("both-sides"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  await waitUntil(async () => (await find()).length === 1, { timeoutMs: 30_000 });

  const record = (await readRecords()).find(({ requestId }) => requestId === "both-sides");
  const [line] = await find();

  const common = { cluster: "east", verb: "get", resource: "pods", name: "web", status: 200, phase: "end" };
  expect(record).toMatchObject({ ...common, from: "127.0.0.1", who: { kind: "admin-token", name: "admin" } });
  expect(line).toMatchObject({ ...common, user: "admin", from: "127.0.0.1", groups: ["fairlead:admins"] });
  expect(line?.["bytesFromCluster"]).toBe(record?.bytesFromCluster);
});

test("the chain of records is whole after all that", async () => {
  const { stdout } = await fleet.hub.cli(["audit", "verify", "--output", "json"]);

  expect(JSON.parse(stdout)).toMatchObject({ ok: true, headHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

async function readRecords(): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for (let cursor = ""; ; ) {
    const answer = await requestHub(fleet.hub, `/api/v1/audit?limit=1000${cursor}`);
    const { items, next } = answer.json() as { items: AuditRecord[]; next?: string };
    records.push(...items);
    if (next === undefined) return records;
    cursor = `&cursor=${next}`;
  }
}
