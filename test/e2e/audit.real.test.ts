// The audit records of a real hub, as people see them with the CLI and kubectl, and after the hub was killed.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditRecord } from "@fairlead/contract";
import { waitUntil } from "@fairlead/kernel/testing";
import { programArgs } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { followCommand } from "../fleet/follow-command.ts";
import { runPod } from "../fleet/pods.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let folder: string;
let auditLog: string;
let robotToken: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-audit-"));
  auditLog = join(folder, "audit.jsonl");
  fleet = await startFleet({ hub: { args: ["--audit-log", auditLog] } });
  await runPod(fleet, "web");
  await post("/api/v1/robots", { name: "reader" });
  const subject = { kind: "robot", name: "reader" };
  await post("/api/v1/bindings", { subject, role: "viewer", clusters: { all: true } });
  robotToken = String((await post("/api/v1/robots/reader/tokens", { ttlMs: 3_600_000 }))["token"]);
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test("a refused exec over WebSocket and its second try over SPDY are two records that know of each other", async () => {
  const exec = ["--token", robotToken, "exec", "web", "--", "true"];
  const { code, stderr } = await fleet.kubectl(exec, { allowFailure: true });
  expect(code).toBe(1);
  expect(stderr).toContain("robot:reader");

  const records = await list("user=robot:reader&verb=create");

  const common = { resource: "pods", subresource: "exec", name: "web", status: 403, code: "PROXY_ACCESS_DENIED" };
  expect(records).toMatchObject([
    { ...common, method: "POST", who: { kind: "robot", name: "robot:reader" }, kubectlCommand: "kubectl exec" },
    { ...common, method: "GET" },
  ]);
  const [spdy, webSocket] = records;
  expect(spdy?.correlates).toBe(webSocket?.requestId);
  expect(spdy?.kubectlSession).toMatch(/^[0-9a-f-]{36}$/);
});

test("the CLI follows what happens, of one user on one cluster", async () => {
  const args = [...programArgs("cli"), "audit", "list", "--follow", "--user", "admin"];
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, FAIRLEAD_CONFIG: fleet.hub.cliConfig };
  await using following = followCommand(process.execPath, [...args, "--cluster", "east", "--verb", "delete"], env);
  await fleet.kubectl(["create", "configmap", "followed"]);
  // How long the CLI takes to begin isn't known.
  await waitUntil(
    async () => {
      await fleet.kubectl(["delete", "configmap", "followed"], { allowFailure: true });
      return /delete.*followed/.test(following.output);
    },
    { timeoutMs: 60_000, intervalMs: 1_000 },
  );
  expect(following.output).not.toContain("create");
});

test("a hub that is killed in the middle of it all has a whole chain, and its audit log gets what it missed", async () => {
  let isOver = false;
  const path = `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/pods`;
  const clients = Array.from({ length: 8 }, async () => {
    while (!isOver) await requestHub(fleet.hub, path).catch(() => undefined);
  });
  await waitUntil(async () => (await readSeqs()).length > 300, { timeoutMs: 60_000 });
  await fleet.hub.stop("KILL");
  isOver = true;
  await Promise.all(clients);
  await fleet.hub.start();

  const verified = JSON.parse((await fleet.hub.cli(["audit", "verify", "--output", "json"])).stdout);
  expect(verified).toMatchObject({ ok: true, firstSeq: 1 });
  await waitUntil(async () => (await readSeqs()).length >= verified.lastSeq, { timeoutMs: 30_000 });
  const seqs = await readSeqs();
  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
  const lines = (await readFile(auditLog, "utf8")).split("\n");
  expect(JSON.parse(lines[verified.lastSeq - 1] ?? "")).toMatchObject({ hash: verified.headHash });
});

async function readSeqs(): Promise<number[]> {
  const lines = (await readFile(auditLog, "utf8")).split("\n").slice(0, -1);
  return lines.flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as AuditRecord).seq]));
}

async function list(query: string): Promise<AuditRecord[]> {
  const answer = await requestHub(fleet.hub, `/api/v1/audit?${query}`);
  return (answer.json() as { items: AuditRecord[] }).items;
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await requestHub(fleet.hub, path, { method: "POST", body: JSON.stringify(body) });
  expect(answer.status, answer.text).toBe(201);
  return answer.json() as Record<string, unknown>;
}
