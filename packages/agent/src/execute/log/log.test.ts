import { mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createSkippingClock, until } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KnownSecrets, MaskedBytes } from "../../redact/index.ts";
import type { CommandClient, CommandHub } from "../command-hub.ts";
import { createRunLog } from "./run-log.ts";
import { removeSpools } from "./segments.ts";
import { createLogSender } from "./send-log.ts";
import { LogSpool, type SpoolOptions } from "./spool.ts";
import { createSpoolRoom } from "./spool-room.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-log-"));
});
afterEach(() => rm(folder, { recursive: true }));

const plenty = createSpoolRoom({ mostBytes: 1e9 });
const open = (options: Partial<SpoolOptions> = {}): LogSpool =>
  new LogSpool({ folder, id: "cmd_1", from: 0, mostBytes: 64e6, room: plenty, ...options });

const text = (spool: LogSpool, from = spool.base): string => Buffer.from(spool.read(from, 1e6)).toString();
const bytes = (said: string): MaskedBytes => MaskedBytes.kept(Buffer.from(said));

test("a spool is its owner's alone, and goes on where the hub's copy ends", async () => {
  using first = open();
  first.append(bytes("one\ntwo\n"));
  expect((await stat(join(folder, "cmd_1.0.log"))).mode & 0o777).toBe(0o600);
  // The container began anew: the hub lacks what is behind "one".
  using again = open({ from: 4 });
  again.append(bytes("three\n"));
  expect([again.base, again.end, text(again, 4)]).toEqual([0, 14, "two\nthree\n"]);
  // Another pod wrote on meanwhile: what is here is of no use.
  using other = open({ from: 100 });
  expect([other.base, other.end]).toEqual([100, 100]);
  await expect(readdir(folder)).resolves.toEqual(["cmd_1.100.log"]);
  other.append(bytes("late"));
  expect(text(other)).toBe("late");
  removeSpools(folder, (id) => id !== "cmd_1");
  await expect(readdir(folder)).resolves.toEqual([]);
});

test("only what the hub lacks counts for the room, and what it has goes from the disk soon", async () => {
  const room = createSpoolRoom({ mostBytes: 1_000 });
  using spool = open({ room, segmentBytes: 600 });
  for (let index = 0; index < 20; index++) spool.append(MaskedBytes.kept(Buffer.alloc(100, index)));
  const free = room.untilFree();
  expect([room.usedBytes, free]).toEqual([2_000, expect.any(Promise)]);
  spool.release(1_500);
  await free;
  expect([room.usedBytes, spool.base, (await readdir(folder)).length]).toEqual([500, 600, 3]);
  spool.remove();
  expect([room.usedBytes, await readdir(folder)]).toEqual([0, []]);
});

test("what is too much is left out, and the log says so", async () => {
  using spool = open({ mostBytes: 200 });
  for (let line = 0; line < 50; line++) spool.append(bytes(`line ${line} of many\n`));
  expect(spool.end).toBeLessThanOrEqual(200);
  expect(text(spool)).toMatch(
    /^line 0 of many\n[\s\S]*\n\[fairlead\] The log is full: what came after its first 0 MiB isn't kept\.\n$/,
  );
  using again = open({ mostBytes: 200 });
  again.append(bytes("more"));
  expect(again.end).toBe(spool.end);
});

test("what reaches the disk is masked, also where a secret is cut in two or comes late", async () => {
  const secrets = new KnownSecrets();
  using spool = open();
  const log = createRunLog({ spool, secrets, onGrown: () => undefined });
  log.line("before");
  secrets.add("canary-4711\nsecond-line");
  log.line("it is canary-4711");
  log.line('{"v":"canary-4711\\nsecond-line"}');
  log.line(Buffer.from("canary-4711\nsecond-line").toString("base64"));
  log.line("Authorization: Bearer abcdefghijkl");
  log.end();
  log.line("too late");
  expect(text(spool)).toBe('before\nit is ***\n{"v":"***"}\n***\nAuthorization: Bearer [redacted]\n');
});

const credentials = [
  "flj_0123456789abcdef_secret",
  "BEARER abcdefghijkl",
  "Basic YWxpY2U6cGFzc3dvcmQ=",
  "base64url.bearer.authorization.k8s.io.c2VjcmV0LXRva2Vu",
  "-----BEGIN EC PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END EC PRIVATE KEY-----",
  "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl",
];

test.each([[[]], [["canary-4711"]]])("what looks like a credential is masked, where %j is known", async (known) => {
  const secrets = new KnownSecrets();
  for (const value of known) secrets.add(value);
  for (const credential of credentials) {
    using spool = open({ id: `cmd_${credentials.indexOf(credential)}` });
    const log = createRunLog({ spool, secrets, onGrown: () => undefined });
    log.line(`before ${credential} behind`);
    log.end();
    const kept = text(spool);
    expect(kept).toMatch(/^before .*\[redacted.* behind\n$/i);
    expect(kept).not.toContain(credential);
  }
});

/** Keeps chunks as hubs do. */
class LogHub implements Partial<CommandHub> {
  kept = Buffer.alloc(0);
  answers: ((acknowledged: number) => object | Error | undefined)[] = [];
  readonly offsets: number[] = [];
  client = undefined;
  untilClient = () => Promise.reject(new Error("not asked"));

  async insist<T>(call: (client: CommandClient, options: object) => Promise<T>): Promise<T> {
    const appendLog = async ({ offset, chunk }: { offset: bigint; chunk: Uint8Array }): Promise<object> => {
      this.offsets.push(Number(offset));
      const bytes = gunzipSync(chunk);
      if (Number(offset) <= this.kept.length) this.kept = Buffer.concat([this.kept.subarray(0, Number(offset)), bytes]);
      const answer = this.answers.shift()?.(this.kept.length);
      if (answer instanceof Error) throw answer;
      return { accepted: true, acknowledgedOffset: BigInt(this.kept.length), waitMs: 0, ...answer };
    };
    for (;;) {
      const done = await call({ appendLog } as unknown as CommandClient, {}).catch(() => undefined);
      if (done !== undefined) return done;
    }
  }
}

function sendTo(
  hub: LogHub,
  spool: LogSpool,
): { sender: ReturnType<typeof createLogSender>; waits: readonly number[] } {
  const clock = createSkippingClock();
  const sender = createLogSender({
    id: "cmd_1",
    epoch: 1n,
    from: hub.kept.length,
    spool,
    hub: hub as CommandHub,
    clock,
  });
  return { sender, waits: clock.waits };
}

test("a log arrives whole, whatever is lost on the way, from where the hub says", async () => {
  const hub = new LogHub();
  using spool = open();
  const whole = Array.from({ length: 60_000 }, (_, index) => `line ${index} of a long log\n`).join("");
  spool.append(bytes(whole));
  hub.answers = [
    () => new Error("the answer is lost"),
    // It lost a part again, and says so.
    () => {
      hub.kept = hub.kept.subarray(0, 1_000);
      return { acknowledgedOffset: 1_000n };
    },
    () => ({ waitMs: 7_000 }),
  ];
  const { sender, waits } = sendTo(hub, spool);
  sender.end();
  await sender.run(AbortSignal.timeout(20_000));
  expect(hub.kept.toString() === whole).toBe(true);
  expect(hub.offsets.slice(0, 4)).toEqual([0, 0, 1_000, 1_000 + 256 * 1024]);
  expect(waits).toContain(7_000);
  expect(sender.isDone).toBe(true);
});

test("lines go out while the command runs, and nothing more once the hub takes none", async () => {
  const hub = new LogHub();
  using spool = open();
  const { sender } = sendTo(hub, spool);
  const run = sender.run(AbortSignal.timeout(20_000));
  spool.append(bytes("first\n"));
  sender.grown();
  await until(() => hub.kept.toString() === "first\n", "the first line is there");
  hub.answers = [() => ({ accepted: false })];
  spool.append(bytes("second\n"));
  sender.grown();
  await run;
  const { length } = hub.offsets;
  spool.append(bytes("third\n"));
  sender.grown();
  expect(hub.offsets).toHaveLength(length);
});

test("a log whose disk was full says so also when its agent dies before the hub knows", async () => {
  const first = open({ segmentBytes: 8 });
  first.append(bytes("line 1\nl"));
  // A disk without room, for the next file.
  await symlink("/dev/full", join(folder, "cmd_1.8.log"));
  first.append(bytes("ine 2\nline 3\n"));
  const mark = "\n[fairlead] The log ends here: its disk takes no more (ENOSPC).\n";
  const whole = `line 1\nl${mark}`;
  expect([text(first, 0) + text(first, 8), first.end]).toEqual([whole, whole.length]);
  first[Symbol.dispose]();
  {
    using still = open();
    still.append(bytes("more\n"));
    expect([text(still, 0) + text(still, 8), still.end]).toEqual([whole, whole.length]);
  }
  const cut = join(folder, "cmd_1.8.ENOSPC.log");
  await rm(cut);
  await writeFile(cut, "");
  using again = open();
  again.append(bytes("more\n"));
  expect(text(again, 0) + text(again, 8)).toBe(`${whole}more\n`);
  again.remove();
  await expect(readdir(folder)).resolves.toEqual([]);
});

test("a log whose disk can't be used says so, and holds nothing up", async () => {
  await writeFile(join(folder, "file"), "");
  using none = open({ folder: join(folder, "file"), from: 7 });
  none.append(bytes("a line\n"));
  expect(text(none)).toMatch(/^\n\[fairlead\] The log ends here: its disk takes no more \(E\w+\)\.\n$/);
  const hub = new LogHub();
  hub.kept = Buffer.from("before\n");
  const { sender } = sendTo(hub, none);
  sender.end();
  await sender.run(AbortSignal.timeout(5_000));
  expect(hub.kept.toString()).toMatch(/^before\n\n\[fairlead\] The log ends here/);
});
