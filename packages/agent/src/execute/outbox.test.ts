import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@fairlead/kernel";
import { createMovableClock, until } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Masked } from "../redact/index.ts";
import type { CommandClient, CommandHub } from "./command-hub.ts";
import { createSpoolRoom } from "./log/index.ts";
import { keepOutbox, type OutboxOptions } from "./outbox.ts";
import { createFileRecords, type RecordLife, type RecordStore } from "./records/index.ts";
import { createReportSender } from "./send-reports.ts";

const day = 24 * 3_600_000;
const { nothing } = Masked;
const outcome = {
  state: "succeeded",
  code: "",
  message: nothing,
  hint: nothing,
  result: Masked.kept("{}"),
  logBytes: 0,
} as const;
const settled: RecordLife = { is: "settled", outcomeDigest: "d" };
const ended: RecordLife = { is: "ended", outcome, sequence: 3 };

let folder = "";
let records: RecordStore;
const stop = { signal: new AbortController().signal };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-outbox-"));
  records = createFileRecords({ folder });
});
afterEach(() => rm(folder, { recursive: true }));

test("a record goes when it keeps nothing from being done twice any more, and never with an untold outcome", async () => {
  const nowMs = 100 * day;
  await put("cmd_fresh", settled, nowMs + day);
  await put("cmd_old", settled, nowMs - day);
  await put("cmd_died", { is: "open" }, nowMs - 6 * day);
  await put("cmd_forgotten", { is: "open" }, nowMs - 8 * day);
  await put("cmd_held", settled, nowMs - day);
  await put("cmd_untold", ended, nowMs - 30 * day);
  await put("cmd_unwanted", ended, nowMs - 30 * day);
  const told: unknown[] = [];
  const report = async ({ id, epoch, sequence, state }: Record<string, unknown>): Promise<object> => {
    told.push([id, epoch, sequence, state]);
    return { accepted: id === "cmd_untold" };
  };
  let listed: (id: string) => boolean = () => true;
  const clock = createMovableClock(nowMs);
  const controller = new AbortController();
  const kept = keepOutbox(
    {
      records,
      instanceId: "i",
      ...sendingTo(hubWith(report)),
      ...spooling(clock),
      log,
      clockSkewMs: () => 0,
      isHeld: (id) => id === "cmd_held",
      onListed: (isKnown) => {
        listed = isKnown;
      },
    },
    controller.signal,
  );
  await until(async () => told.length === 2 && (await ids()).length === 5, "the records are looked through");
  expect(told.toSorted()).toEqual([
    ["cmd_untold", 7n, 3n, "succeeded"],
    ["cmd_unwanted", 7n, 3n, "succeeded"],
  ]);
  expect(await ids()).toEqual(["cmd_died", "cmd_fresh", "cmd_held", "cmd_untold", "cmd_unwanted"]);
  // Logs are kept of what goes on or is owed.
  expect(["cmd_died", "cmd_unwanted", "cmd_fresh", "cmd_nobody"].map(listed)).toEqual([true, true, false, false]);
  await until(() => clock.pendingCount > 0, "it waits");
  clock.move(10 * 60_000);
  await until(async () => (await ids()).length === 3, "what was told goes, too");
  expect(await ids()).toEqual(["cmd_died", "cmd_fresh", "cmd_held"]);
  expect(told).toHaveLength(2);
  controller.abort();
  await kept;
});

test("a plan is kept as long as it may be approved, and goes when the hub says that it won't be", async () => {
  const nowMs = 100 * day;
  const plan = {
    is: "planned",
    digests: { own: "o", shown: "s", asked: "a" },
    state: { step: 1 },
    json: Masked.kept("{}"),
  } as const;
  await put("cmd_waits", { ...plan, keptUntilMs: nowMs + day }, nowMs - 2 * day);
  await put("cmd_late", { ...plan, keptUntilMs: nowMs - 1 }, nowMs + day);
  await put("cmd_rejected", { ...plan, keptUntilMs: nowMs + day }, nowMs + day);
  const asked: string[] = [];
  const renewLeases = async ({ commands }: { readonly commands: readonly { readonly id: string }[] }) => {
    asked.push(...commands.map(({ id }) => id));
    return { leases: commands.map(({ id }) => ({ id, held: false, over: id === "cmd_rejected" })) };
  };
  const hub = { client: { renewLeases } } as unknown as CommandHub;
  const clock = createMovableClock(nowMs);
  const controller = new AbortController();
  const options = {
    records,
    instanceId: "i",
    ...spooling(clock),
    log,
    clockSkewMs: () => 0,
    isHeld: () => false,
    ...sendingTo(hub),
  };
  const kept = keepOutbox({ ...options, onListed: ignore }, controller.signal);
  await until(() => clock.pendingCount > 0, "the records are looked through");
  const found = await records.list(stop.signal);
  const lives = found.map(({ record }) => [record.id, record.life.is]).toSorted();
  expect(lives).toEqual([
    ["cmd_rejected", "settled"],
    ["cmd_waits", "planned"],
  ]);
  expect(asked).toContain("cmd_waits");
  controller.abort();
  await kept;
});

test("a log on another disk is waited for, and told to be lost when nobody has come with it", async () => {
  const nowMs = 100 * day;
  const told = { is: "settled", outcomeDigest: "d", owes: { spool: "other", bytes: 40 } } as const;
  await put("cmd_owing", told, nowMs - 2 * day);
  const asked: object[] = [];
  const appendLog = async ({ offset, lost }: { readonly offset: bigint; readonly lost?: boolean }): Promise<object> => {
    asked.push({ offset, lost });
    return { accepted: false, acknowledgedOffset: 12n, waitMs: 0 };
  };
  const client = { appendLog } as unknown as CommandClient;
  const hub = { client, insist: (call: (to: CommandClient, how: object) => unknown) => call(client, {}) };
  const clock = createMovableClock(nowMs);
  const controller = new AbortController();
  const kept = keepOutbox(
    {
      records,
      instanceId: "i",
      ...sendingTo(hub as unknown as CommandHub),
      ...spooling(clock),
      log,
      clockSkewMs: () => 0,
      isHeld: () => false,
      onListed: ignore,
    },
    controller.signal,
  );
  for (let minute = 0; minute < 10; minute++) {
    await until(() => clock.pendingCount > 0, "it waits");
    expect(asked).toEqual([]);
    clock.move(60_000);
  }
  await until(() => asked.length > 0, "it is told");
  expect(asked).toEqual([{ offset: 40n, lost: true }]);
  await until(async () => (await ids()).length === 1 && clock.pendingCount > 0, "it is settled");
  const [stored] = await records.list(stop.signal);
  expect(stored?.record.life).toEqual(settled);
  controller.abort();
  await kept;
});

async function put(id: string, life: RecordLife, expiresAtMs: number): Promise<void> {
  await records.write({ id, epoch: 7, kind: "manifests", expiresAtMs, life }, undefined, stop.signal);
}

async function ids(): Promise<string[]> {
  return (await records.list(stop.signal)).map(({ record }) => record.id).sort();
}

function hubWith(report: (step: Record<string, unknown>) => Promise<object>): CommandHub {
  const client = { report } as unknown as CommandClient;
  return {
    client,
    untilClient: async () => client,
    insist: (call) => call(client, {}),
  };
}

const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function sendingTo(hub: CommandHub): Pick<OutboxOptions, "hub" | "reports"> {
  return { hub, reports: createReportSender(hub) };
}

function spooling(clock: Clock): Pick<OutboxOptions, "clock" | "folder" | "logs" | "spoolId"> {
  const logs = { mostBytes: 1_000, room: createSpoolRoom({ mostBytes: 1_000 }) };
  return { clock, folder: join(folder, "spool"), logs, spoolId: "own" };
}

function ignore(): void {}
