import { FairleadError } from "@fairlead/kernel";
import type { LinkStream, StreamHandlers } from "@fairlead/protocol";
import { pino } from "pino";
import { expect, it } from "vitest";
import { createRequestLog } from "./request-log.ts";

const path = "/api/v1/namespaces/a/pods/b/exec?command=-psecret&tty=true";

/** Plays one request of 3 bytes with an answer of 5. */
function play(options: { level: string; upgrade?: boolean; error?: FairleadError }): Record<string, unknown>[] {
  const { level, upgrade = false, error } = options;
  const lines: string[] = [];
  const requestLog = createRequestLog({
    log: pino({ level }, { write: (line: string) => void lines.push(line) }),
    cluster: () => "east",
  });
  const stream = { open: { method: "GET", path, upgrade, requestId: "req-1" }, write: () => true };
  let seen: LinkStream | undefined;
  const accept = requestLog.meter((metered): StreamHandlers => {
    seen = metered;
    return { onData() {}, onEnd() {}, onReset() {} };
  });
  accept(stream as unknown as LinkStream).onData(Buffer.from("abc"));
  seen?.write(Buffer.from("12345"));
  if (seen) requestLog.finished(seen, { status: 200, error });
  return lines.map((line) => JSON.parse(line));
}

const line = {
  ...{ requestId: "req-1", cluster: "east", method: "GET", status: 200 },
  ...{ path: "/api/v1/namespaces/a/pods/b/exec?command=…&tty=true", bytesToCluster: 3, bytesFromCluster: 5 },
  durationMs: expect.any(Number),
};

it("writes an ordinary request down only at level debug", () => {
  expect(play({ level: "debug" })).toMatchObject([{ ...line, level: 20 }]);
  expect(play({ level: "info" })).toEqual([]);
});

it("writes upgrades down at level info, and failures always", () => {
  expect(play({ level: "info", upgrade: true })).toMatchObject([{ ...line, level: 30, isUpgrade: true }]);
  const error = new FairleadError({ code: "KUBE_UNREACHABLE", message: "no" });
  expect(play({ level: "warn", error })).toMatchObject([{ ...line, level: 40, err: { code: "KUBE_UNREACHABLE" } }]);
});
