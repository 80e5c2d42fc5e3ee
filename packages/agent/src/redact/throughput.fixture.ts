// How fast output is masked, beside a plain copy of it. Reads its settings from standard input, prints figures as JSON.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createRunLog, createSpoolRoom, LogSpool } from "../execute/log/index.ts";
import { KnownSecrets } from "./known-secrets.ts";
import { MaskingStream } from "./masking-stream.ts";

const { needles, megabytes } = JSON.parse(await text(process.stdin)) as { needles: number; megabytes: number };
const chunkBytes = 64 * 1024;
const secrets = new KnownSecrets();
const values: string[] = [];
for (let count = 0; count < needles; ) {
  const value = `pw-${Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString("base64")}`;
  values.push(value);
  secrets.add(value);
  count = secrets.index.size;
}
const chunk = makeChunk();
const chunks = Math.ceil((megabytes * 1_000_000) / chunkBytes);
const stream = new MaskingStream(secrets);
stream.push(chunk);
const best = { copy: 0, masked: 0, logged: 0 };
// In turn: a machine's speed drifts.
for (let round = 0; round < 5; round++) {
  best.copy = Math.max(
    best.copy,
    measure((bytes) => Buffer.from(bytes)),
  );
  best.masked = Math.max(
    best.masked,
    measure((bytes) => Buffer.from(stream.push(bytes))),
  );
  best.logged = Math.max(best.logged, measureLog());
}
console.log(
  JSON.stringify({
    ...best,
    needles: secrets.index.size,
  }),
);

/** MB/s. */
function measure(pass: (bytes: Uint8Array) => Buffer): number {
  let bytes = 0;
  const beganMs = performance.now();
  for (let index = 0; index < chunks; index++) bytes += pass(chunk).length > 0 ? chunk.length : 0;
  return bytes / 1_000 / (performance.now() - beganMs);
}

/** MB/s of lines that come one by one, masked, into the file from which they are sent. */
function measureLog(): number {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-throughput-"));
  const lines = chunk.toString().split("\n");
  const room = createSpoolRoom({ mostBytes: Number.POSITIVE_INFINITY });
  const spool = new LogSpool({ folder, id: "cmd_throughput", from: 0, mostBytes: 4 * megabytes * 1_000_000, room });
  const log = createRunLog({ spool, secrets, onGrown: () => undefined });
  const beganMs = performance.now();
  for (let index = 0; index < chunks; index++) for (const line of lines) log.line(line);
  log.end();
  const each = spool.end / 1_000 / (performance.now() - beganMs);
  spool.remove();
  rmSync(folder, { recursive: true });
  return each;
}

/** As tools print it: words, times, JSON, ids; and a secret in one of 200 lines. */
function makeChunk(): Buffer {
  const lines: string[] = [];
  for (let line = 0, size = 0; size < chunkBytes; line++) {
    const id = Buffer.from(crypto.getRandomValues(new Uint8Array(9))).toString("base64url");
    const secret = line % 200 === 0 ? values[line % values.length] : "none";
    const made = `2026-01-01T00:00:${line % 60}Z info apply {"kind":"ConfigMap","name":"app-${id}","pw":"${secret}"} took ${line} ms\n`;
    lines.push(made);
    size += made.length;
  }
  return Buffer.from(lines.join("")).subarray(0, chunkBytes);
}
