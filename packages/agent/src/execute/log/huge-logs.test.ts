// Scenario 13: huge logs. A program, its pipe, the disk and a hub that doesn't want it all at once.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { systemClock } from "@fairlead/kernel";
import { createSkippingClock } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findProgram, runProcess } from "../../processes/index.ts";
import { KnownSecrets } from "../../redact/index.ts";
import type { CommandClient, CommandHub } from "../command-hub.ts";
import { createRunLog } from "./run-log.ts";
import { createLogSender } from "./send-log.ts";
import { LogSpool } from "./spool.ts";
import { createSpoolRoom } from "./spool-room.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-huge-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("scenario 13: a line of 50 MB without an end arrives whole, with little disk, from a hub that refuses", async () => {
  const hub = new PickyHub();
  let mostDisk = 0;
  hub.onAsked = () => {
    mostDisk = Math.max(mostDisk, diskBytes());
  };
  // A value lies across each border of 64 KiB at which a long line is cut into pieces.
  const value = "canary-0123456789";
  const script = `i=0; while [ $i -lt 800 ]; do printf '%s' "$FILL"; i=$((i+1)); done`;
  const fill = `${"x".repeat(62_500 - value.length)}${value}`;
  await play({ script, hub, secrets: [value], environment: { FILL: fill }, spoolBytes: 8 * mebibyte });
  const expected = `${"x".repeat(62_500 - value.length)}***`.repeat(800);
  expect(hub.bytes).toBe(expected.length + 1);
  expect(hub.digest()).toBe(createHash("sha256").update(`${expected}\n`).digest("hex"));
  expect(hub.refused).toMatchObject({ 413: expect.any(Number), 429: expect.any(Number), 503: expect.any(Number) });
  // The room, what the hub may yet lose, and what was on its way when the room was full.
  expect(mostDisk).toBeLessThan((8 + 3) * mebibyte);
  expect(readdirSync(folder)).toEqual([]);
}, 180_000);

test("scenario 13: a million lines, as fast as they come, arrive in their order", async () => {
  const hub = new PickyHub();
  await play({ script: "seq 1 1000000", hub, spoolBytes: 64 * mebibyte });
  const hash = createHash("sha256");
  for (let from = 1; from < 1_000_000; from += 1_000)
    hash.update(`${Array.from({ length: 1_000 }, (_, index) => from + index).join("\n")}\n`);
  expect(hub.digest()).toBe(hash.digest("hex"));
}, 180_000);

test("scenario 13: a log ends at its limit with a mark, and the program goes on to its end", async () => {
  const hub = new PickyHub();
  await play({ script: "seq 1 300000; echo done >&2", hub, logBytes: mebibyte, spoolBytes: 8 * mebibyte });
  expect(hub.bytes).toBeLessThanOrEqual(mebibyte);
  expect(hub.last).toMatch(/\n\[fairlead\] The log is full: what came after its first 1 MiB isn't kept\.\n$/);
}, 180_000);

const mebibyte = 1024 * 1024;

const diskBytes = (): number => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

async function play(options: {
  readonly script: string;
  readonly hub: PickyHub;
  readonly secrets?: readonly string[];
  readonly environment?: Record<string, string>;
  readonly logBytes?: number;
  readonly spoolBytes: number;
}): Promise<void> {
  const { script, hub, logBytes = 1024 * mebibyte, spoolBytes } = options;
  const secrets = new KnownSecrets();
  for (const secret of options.secrets ?? []) secrets.add(secret);
  const room = createSpoolRoom({ mostBytes: spoolBytes });
  using spool = new LogSpool({ folder, id: "cmd_1", from: 0, mostBytes: logBytes, room, segmentBytes: mebibyte });
  const clock = createSkippingClock();
  const sender = createLogSender({ id: "cmd_1", epoch: 1n, from: 0, spool, hub: hub as CommandHub, clock });
  const log = createRunLog({ spool, secrets, onGrown: sender.grown });
  const sent = sender.run(AbortSignal.timeout(170_000));
  const never = new AbortController().signal;
  const { exitCode } = await runProcess({
    program: await findProgram("sh", process.env["PATH"]),
    args: ["-c", script],
    folder: "/",
    environment: { PATH: process.env["PATH"] ?? "", ...options.environment },
    onStdout: log.line,
    onStderr: () => undefined,
    untilRoom: room.untilFree,
    signal: never,
    forced: never,
    pace: { interruptMs: 1_000, terminateMs: 1_000 },
    clock: systemClock,
  });
  expect(exitCode).toBe(0);
  log.end();
  sender.end();
  await sent;
  expect(room.usedBytes).toBe(0);
}

/** Takes chunks of up to 64 KiB, and of those not each at once; keeps their digest alone. */
class PickyHub implements Partial<CommandHub> {
  bytes = 0;
  last = "";
  readonly refused: Record<number, number> = {};
  onAsked = (): void => undefined;
  readonly client = undefined;
  untilClient = () => Promise.reject(new Error("not asked"));
  readonly #hash = createHash("sha256");
  #asked = 0;

  digest(): string {
    return this.#hash.digest("hex");
  }

  async insist<T>(
    call: (client: CommandClient, options: object) => Promise<T>,
    _signal: AbortSignal,
    onFailed?: (error: unknown) => void,
  ): Promise<T> {
    const appendLog = async (piece: Piece): Promise<object> => this.#take(piece);
    for (;;) {
      try {
        return await call({ appendLog } as unknown as CommandClient, {});
      } catch (error) {
        onFailed?.(error);
      }
    }
  }

  #take({ offset, chunk }: Piece): object {
    this.onAsked();
    const bytes = gunzipSync(chunk);
    if (bytes.length > 32 * 1024) throw this.#refuse(413, Code.ResourceExhausted);
    this.#asked++;
    if (this.#asked % 7 === 0) throw this.#refuse(429, Code.ResourceExhausted);
    if (this.#asked % 11 === 0) throw this.#refuse(503, Code.Unavailable);
    if (Number(offset) === this.bytes) {
      this.#hash.update(bytes);
      this.bytes += bytes.length;
      this.last = (this.last + bytes.toString()).slice(-200);
    }
    return { accepted: true, acknowledgedOffset: BigInt(this.bytes), waitMs: 0 };
  }

  #refuse(status: number, code: Code): ConnectError {
    this.refused[status] = (this.refused[status] ?? 0) + 1;
    return new ConnectError(`status ${status}`, code);
  }
}

interface Piece {
  readonly offset: bigint;
  readonly chunk: Uint8Array;
}
