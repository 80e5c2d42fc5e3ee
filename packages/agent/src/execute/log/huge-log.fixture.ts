// A program that says a lot, its output masked, on the disk and sent from there, with the most memory that this process took.
// Reads its settings from standard input, prints figures as JSON.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { systemClock } from "@fairlead/kernel";
import { tuneGarbageCollection } from "@fairlead/protocol";
import { findProgram, runProcess } from "../../processes/index.ts";
import { KnownSecrets } from "../../redact/index.ts";
import type { CommandClient, CommandHub } from "../command-hub.ts";
import { createLogSender, createRunLog, createSpoolRoom, LogSpool } from "./index.ts";

const { megabytes, spoolMegabytes, limitMegabytes } = JSON.parse(await text(process.stdin)) as {
  megabytes: number;
  spoolMegabytes: number;
  limitMegabytes: number;
};
tuneGarbageCollection({ heapGrowingPercent: 50 });
const secrets = new KnownSecrets();
for (let count = 0; count < 10; count++) secrets.add(crypto.randomUUID());
const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "fairlead-huge-"));
const room = createSpoolRoom({ mostBytes: spoolMegabytes * 1_000_000 });
const spool = new LogSpool({ folder, id: "cmd_huge", from: 0, mostBytes: limitMegabytes * 1_048_576, room });
let [sentBytes, mostSpoolBytes] = [0, 0];
const sender = createLogSender({ id: "cmd_huge", epoch: 1n, from: 0, spool, hub: takeAll(), clock: systemClock });
const log = createRunLog({ spool, secrets, onGrown: sender.grown });
const startedMib = residentMib();
let mostMib = startedMib;
const watch = setInterval(() => {
  mostMib = Math.max(mostMib, residentMib());
  mostSpoolBytes = Math.max(mostSpoolBytes, room.usedBytes);
}, 20);
const beganMs = performance.now();
const before = process.cpuUsage();
const sent = sender.run(never);
await runProcess({
  program: await findProgram("sh", process.env["PATH"]),
  args: [
    "-c",
    `yes "2026-01-01T00:00:00Z info apply ConfigMap app-0123456789 took 12 ms" | head -c ${megabytes}000000`,
  ],
  folder,
  environment: { PATH: process.env["PATH"] ?? "" },
  clock: systemClock,
  onStdout: log.line,
  onStderr: log.line,
  untilRoom: room.untilFree,
  signal: never,
  forced: never,
  pace: { interruptMs: 1_000, terminateMs: 1_000 },
});
const saidMs = performance.now() - beganMs;
log.end();
sender.end();
await sent;
clearInterval(watch);
const { user, system } = process.cpuUsage(before);
rmSync(folder, { recursive: true });
console.log(
  JSON.stringify({
    startedMib,
    mostMib,
    mostSpoolBytes,
    logBytes: spool.end,
    sentBytes,
    saidSeconds: saidMs / 1_000,
    cpuSeconds: (user + system) / 1e6,
  }),
);

function residentMib(): number {
  return process.memoryUsage.rss() / 1_048_576;
}

/** A hub that has room for everything. */
function takeAll(): CommandHub {
  const appendLog = async ({ offset, chunk }: { offset: bigint; chunk: Uint8Array }): Promise<object> => {
    sentBytes += chunk.byteLength;
    const next = Math.min(Number(offset) + 256 * 1024, spool.end);
    return { accepted: true, acknowledgedOffset: BigInt(next), waitMs: 0 };
  };
  return {
    client: undefined,
    untilClient: () => Promise.reject(new Error("not asked")),
    insist: (call) => call({ appendLog } as unknown as CommandClient, {}),
  };
}
