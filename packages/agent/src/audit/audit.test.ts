import { FairleadError, systemClock } from "@fairlead/kernel";
import type { LinkStream, OpenHead, StreamHandlers } from "@fairlead/protocol";
import { pino } from "pino";
import { expect, it } from "vitest";
import { createAuditLog } from "./service.ts";

const exec: OpenHead = {
  target: "kubernetes",
  method: "GET",
  path: "/api/v1/namespaces/a/pods/b/exec?command=-psecret&tty=true",
  headers: ["Authorization", "Bearer secret"],
  upgrade: true,
  requestId: "req-1",
  deadlineMs: 1,
  identity: { user: "alice", uid: "u1", groups: ["fairlead:operators"], actor: "root", remoteAddress: "192.0.2.7" },
};
const list: OpenHead = { ...exec, path: "/api/v1/namespaces/a/pods?labelSelector=secret", upgrade: false };

/** Plays one request of 3 bytes with an answer of 5. */
function play(open: OpenHead, error?: FairleadError): { records: Record<string, unknown>[]; log: string[] } {
  const lines: string[] = [];
  const logLines: string[] = [];
  const auditLog = createAuditLog({
    output: { write: (line) => lines.push(line) },
    log: pino({ level: "warn" }, { write: (line: string) => void logLines.push(line) }),
    clock: systemClock,
    cluster: () => "east",
  });
  const stream = { open, write: () => true };
  let seen: LinkStream | undefined;
  const accept = auditLog.meter((metered): StreamHandlers => {
    seen = metered;
    return { onData() {}, onEnd() {}, onReset() {} };
  });
  accept(stream as unknown as LinkStream).onData(Buffer.from("abc"));
  seen?.write(Buffer.from("12345"));
  if (seen) auditLog.finished(seen, { status: error ? 0 : 200, error });
  expect(lines.join("") + logLines.join("")).not.toContain("secret");
  expect(lines.every((line) => line.endsWith("\n"))).toBe(true);
  return { records: lines.map((line) => JSON.parse(line) as Record<string, unknown>), log: logLines };
}

const who = { user: "alice", uid: "u1", groups: ["fairlead:operators"], actor: "root", from: "192.0.2.7" };
const traffic = { bytesToCluster: 3, bytesFromCluster: 5, durationMs: expect.any(Number) };

it("writes one line for each request when it is over, whatever the log's level", () => {
  expect(play(list).records).toEqual([
    {
      level: "info",
      time: expect.any(String),
      component: "agent/audit",
      msg: "request ended",
      audit: true,
      phase: "end",
      requestId: "req-1",
      cluster: "east",
      ...who,
      method: "GET",
      verb: "list",
      resource: "pods",
      namespace: "a",
      path: "/api/v1/namespaces/a/pods?labelSelector=…",
      isUpgrade: false,
      status: 200,
      ...traffic,
    },
  ]);
});

it.each([
  ["an upgrade", exec],
  ["a watch", { ...list, path: "/api/v1/pods?watch=1" }],
  ["a followed log", { ...list, path: "/api/v1/namespaces/a/pods/b/log?follow=true" }],
])("writes a line at the beginning of %s as well", (_, open) => {
  expect(play(open).records).toMatchObject([
    { phase: "start", requestId: "req-1", ...who },
    { phase: "end", requestId: "req-1", status: 200, ...traffic },
  ]);
  expect(play({ ...list, path: "/api/v1/namespaces/a/pods/b/log" }).records).toHaveLength(1);
});

it("names the policy's rule that refused it", () => {
  const message =
    "The policy of this cluster's agent forbids the request (rule denySecretReads): get shows what is in Secrets.";
  const { records, log } = play(list, new FairleadError({ code: "POLICY_DENIED", message, httpStatus: 403 }));

  expect(records).toMatchObject([{ status: 403, code: "POLICY_DENIED", rule: "denySecretReads" }]);
  expect(log).toEqual([expect.stringContaining("request failed")]);
});

it("writes no beginning of what is refused at once", () => {
  const lines: string[] = [];
  const auditLog = createAuditLog({
    output: { write: (line) => lines.push(line) },
    log: pino({ level: "silent" }),
    clock: systemClock,
    cluster: () => "east",
  });
  const refusal = new FairleadError({ code: "POLICY_DENIED", message: "no", httpStatus: 403 });
  const accept = auditLog.meter((stream): StreamHandlers => {
    auditLog.finished(stream, { status: 0, error: refusal });
    return { onData() {}, onEnd() {}, onReset() {} };
  });
  accept({ open: exec } as unknown as LinkStream);

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ phase: "end", status: 403 }]);
});

it("is there for what has no identity and a path that nobody understands", () => {
  const { identity: _, ...open } = { ...list, path: "/api//v1/../nodes" };

  expect(play(open).records).toMatchObject([{ path: "/api//v1/../nodes", method: "GET", status: 200 }]);
});
