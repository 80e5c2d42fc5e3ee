// The role execute against a scripted hub over real links. Records are files here; execute.real.test.ts has Secrets.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemClock, untilAbort } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { Cancellation } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { StepsRunner, type TestExecuting } from "./executing.fixture.ts";
import { useHubAndAgents } from "./hub-and-agents.fixture.ts";
import { createFileRecords } from "./records/index.ts";
import { createTestSigner, testEnvelope } from "./signing.fixture.ts";

const at = useHubAndAgents();
const { start } = at;

const steps = (id: string, count: number, changes: object = {}): ReturnType<typeof testEnvelope> =>
  testEnvelope({ id, spec: { steps: count }, issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000, ...changes });

async function untilEnded(id: string): Promise<NonNullable<ReturnType<typeof outcomeOf>>> {
  await until(() => at.hub.commands.get(id)?.outcome !== undefined, `${id} ends`);
  return outcomeOf(id) as NonNullable<ReturnType<typeof outcomeOf>>;
}

function outcomeOf(id: string): { state: string; code: string; result: unknown; logBytes: number } | undefined {
  const outcome = at.hub.commands.get(id)?.outcome;
  if (outcome === undefined) return undefined;
  const { state, code, resultJson, logBytes } = outcome;
  const text = Buffer.from(resultJson).toString();
  return { state, code, result: text === "" ? undefined : JSON.parse(text), logBytes: Number(logBytes) };
}

async function lifeOf(folder: string, id: string): Promise<string | undefined> {
  const found = await createFileRecords({ folder: join(folder, "commands") }).find(id, AbortSignal.timeout(5_000));
  return found?.record.life.is;
}

const logsIn = async (folder: string): Promise<string[]> =>
  (await readdir(join(folder, "spool"))).filter((name) => name.endsWith(".log"));

test("a command is claimed, carried out, told and remembered, with all of its log", async () => {
  const { folder } = await start();
  const command = await at.hub.submit(at.signer, steps("cmd_a", 3));
  await expect(untilEnded("cmd_a")).resolves.toEqual({
    state: "succeeded",
    code: "",
    result: { steps: 3 },
    logBytes: 33,
  });
  expect(command.states.filter((state) => state !== "resolving")).toEqual(["running", "succeeded"]);
  expect(command.log.toString()).toBe("did step 1\ndid step 2\ndid step 3\n");
  await until(async () => (await lifeOf(folder, "cmd_a")) === "settled", "its record is settled");
  await until(async () => (await logsIn(folder)).length === 0, "nothing of its log waits");
});

test("a dry run changes nothing", async () => {
  await start();
  await at.hub.submit(at.signer, steps("cmd_dry", 3, { dryRun: true }));
  await expect(untilEnded("cmd_dry")).resolves.toMatchObject({ state: "succeeded", result: { would: 3 } });
  expect(at.runner.effects).toEqual([]);
});

const calls = ["claim", "report", "appendLog", "renewLeases"];

test.each(calls.flatMap((call) => (["before", "after"] as const).map((place) => [call, place] as const)))(
  "scenario 4: an answer to %s that is cut %s it took effect costs nothing, and the outcome counts once",
  async (call, place) => {
    at.hub.leaseMs = 3_500;
    let left = call === "claim" ? 1 : 3;
    at.hub.fault = (name, at) => name === call && at === place && left-- > 0;
    await start();
    await at.hub.submit(at.signer, steps("cmd_cut", 2));
    await untilEnded("cmd_cut");
    const command = at.hub.commands.get("cmd_cut");
    expect(command).toMatchObject({ outcomes: 1, outcome: { state: "succeeded" } });
    expect(at.runner.effects).toEqual(["cmd_cut/1", "cmd_cut/2"]);
    await until(() => command?.log.toString() === "did step 1\ndid step 2\n", "the log is whole");
  },
);

test("an agent that is killed leaves its command to the next one, which does the rest and nothing twice", async () => {
  const first = await start();
  at.runner.before = async (step) => {
    if (step === 3) await new Promise(() => undefined);
  };
  const command = await at.hub.submit(at.signer, steps("cmd_killed", 4));
  await until(() => at.runner.effects.length === 2, "two steps are done");
  await until(() => command.log.length > 0, "the log is on its way");
  first.kill();
  const next = new StepsRunner();
  await start({ folder: first.folder, runner: next });
  at.hub.offerAgain("cmd_killed");
  await expect(untilEnded("cmd_killed")).resolves.toMatchObject({ state: "succeeded" });
  expect(next.effects).toEqual(["cmd_killed/3", "cmd_killed/4"]);
  expect(command).toMatchObject({ epoch: 2n, outcomes: 1 });
  expect(command.log.toString()).toBe("did step 1\ndid step 2\ndid step 3\ndid step 4\n");
});

test.each([false, true])(
  "scenario 4: an outcome that an agent recorded and couldn't tell is told by the next one (claimed anew: %s)",
  async (isOfferedAgain) => {
    const first = await start();
    at.hub.fault = (call) => call === "report";
    await at.hub.submit(at.signer, steps("cmd_untold", 1));
    await until(async () => (await lifeOf(first.folder, "cmd_untold")) === "ended", "the outcome is recorded");
    first.kill();
    at.hub.fault = () => false;
    const next = new StepsRunner();
    if (isOfferedAgain) at.hub.offerAgain("cmd_untold");
    await start({ folder: first.folder, runner: next });
    await expect(untilEnded("cmd_untold")).resolves.toMatchObject({ state: "succeeded", result: { steps: 1 } });
    expect(next.effects).toEqual([]);
    expect(at.hub.commands.get("cmd_untold")?.outcomes).toBe(1);
    await until(async () => (await lifeOf(first.folder, "cmd_untold")) === "settled", "it is settled");
  },
);

test("scenario 6: a paused agent whose lease ran out does no further step and reports nothing", async () => {
  let passedMs = 0;
  const clock = { ...systemClock, steadyMs: () => performance.now() + passedMs };
  const gate = Promise.withResolvers<void>();
  at.runner.before = async (step) => {
    if (step === 2) await gate.promise;
  };
  const paused = await start({ clock });
  const command = await at.hub.submit(at.signer, steps("cmd_paused", 3));
  await until(() => at.runner.effects.length === 1, "one step is done");
  passedMs = 60_000;
  // Another agent has it, and has written nothing yet.
  command.epoch++;
  gate.resolve();
  await until(() => paused.executing.heldCount === 0, "the paused one has given it up");
  expect(at.runner.effects).toEqual(["cmd_paused/1"]);
  expect(command.outcome).toBeUndefined();
  at.hub.offerAgain("cmd_paused");
  await expect(untilEnded("cmd_paused")).resolves.toMatchObject({ state: "succeeded" });
  expect(at.runner.effects).toEqual(["cmd_paused/1", "cmd_paused/2", "cmd_paused/3"]);
});

test("scenario 6: a zombie is stopped by the record when its own clock tells it nothing", async () => {
  const standing = { ...systemClock, steadyMs: () => 0 };
  const gate = Promise.withResolvers<void>();
  at.runner.before = async (step) => {
    if (step === 2) await gate.promise;
  };
  const zombie = await start({ clock: standing });
  await at.hub.submit(at.signer, steps("cmd_zombie", 3));
  await until(() => at.runner.effects.length === 1, "one step is done");
  const next = new StepsRunner();
  await start({ folder: zombie.folder, runner: next });
  at.hub.offerAgain("cmd_zombie");
  await untilEnded("cmd_zombie");
  gate.resolve();
  await until(() => zombie.executing.heldCount === 0, "the zombie has given up");
  expect(at.runner.effects).toEqual(["cmd_zombie/1"]);
  expect(next.effects).toEqual(["cmd_zombie/2", "cmd_zombie/3"]);
  expect(at.hub.commands.get("cmd_zombie")?.outcomes).toBe(1);
});

const minuteMs = 60_000;

test.each([-25 * 60, -10, 10, 25 * 60])(
  "scenario 7: an agent whose clock is %i minutes off carries out what is asked for, and what is over not",
  async (minutes) => {
    const clock = { ...systemClock, now: () => Date.now() + minutes * minuteMs };
    const { folder } = await start({ clock, clockSkewMs: -minutes * minuteMs });
    const command = await at.hub.submit(at.signer, steps("cmd_off", 2));
    await expect(untilEnded("cmd_off")).resolves.toMatchObject({ state: "succeeded" });
    await until(async () => (await lifeOf(folder, "cmd_off")) === "settled", "it is settled");
    expect(command).toMatchObject({ epoch: 1n, outcomes: 1 });
    await at.hub.submit(at.signer, steps("cmd_over", 1, { expiresAtMs: Date.now() - 6 * minuteMs }));
    await at.hub.submit(at.signer, steps("cmd_early", 1, { issuedAtMs: Date.now() + 6 * minuteMs }));
    await expect(untilEnded("cmd_over")).resolves.toMatchObject({ state: "refused", code: "COMMAND_EXPIRED" });
    await expect(untilEnded("cmd_early")).resolves.toMatchObject({ state: "refused", code: "COMMAND_NOT_YET" });
    expect(at.runner.effects).toEqual(["cmd_off/1", "cmd_off/2"]);
  },
);

test("scenario 7: a command that seems too early waits until the hub has said its time again", async () => {
  const skew = { ms: 0 };
  const said = Promise.withResolvers<void>();
  await start({ clockSkewMs: () => skew.ms, untilTimeSaid: () => said.promise });
  const aheadMs = 25 * 60 * minuteMs;
  const times = { issuedAtMs: Date.now() + aheadMs, expiresAtMs: Date.now() + aheadMs + minuteMs };
  const command = await at.hub.submit(at.signer, steps("cmd_early", 1, times));
  await until(() => command.epoch === 1n, "it is claimed");
  skew.ms = aheadMs;
  said.resolve();
  await expect(untilEnded("cmd_early")).resolves.toMatchObject({ state: "succeeded" });
});

test("scenario 7: a clock that is set while a command runs changes nothing about its lease", async () => {
  let offMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + offMs };
  at.hub.leaseMs = 3_500;
  at.runner.before = (step) => {
    offMs = [10, -10, 25 * 60, -25 * 60][step - 1] ?? 0;
    offMs *= minuteMs;
  };
  await start({ clock });
  const command = await at.hub.submit(at.signer, steps("cmd_set", 4));
  await expect(untilEnded("cmd_set")).resolves.toMatchObject({ state: "succeeded" });
  expect(command).toMatchObject({ epoch: 1n, outcomes: 1 });
});

test("a command that has ended here isn't done again, whoever offers it", async () => {
  const { folder } = await start();
  await at.hub.submit(at.signer, steps("cmd_once", 1));
  await untilEnded("cmd_once");
  await until(async () => (await lifeOf(folder, "cmd_once")) === "settled", "its record is settled");
  // A database that went back.
  await at.hub.submit(at.signer, steps("cmd_once", 1));
  await until(() => at.hub.commands.get("cmd_once")?.outcome !== undefined, "it is refused");
  expect(outcomeOf("cmd_once")).toMatchObject({ state: "refused", code: "COMMAND_REPLAYED" });
  expect(at.runner.effects).toEqual(["cmd_once/1"]);
});

test.each([
  ["of a foreign hub", async () => (await createTestSigner()).sign(steps("cmd_bad", 1)), "COMMAND_KEY_UNKNOWN"],
  ["that nobody signed", async () => "e30.e30.", "COMMAND_UNSIGNED"],
  ["for another cluster", () => at.signer.sign(steps("cmd_bad", 1, { cluster: "west" })), "COMMAND_RETARGETED"],
  ["under another id", () => at.signer.sign(steps("cmd_good", 1)), "COMMAND_RETARGETED"],
  ["whose time is over", () => at.signer.sign(steps("cmd_bad", 1, { expiresAtMs: 1 })), "COMMAND_EXPIRED"],
  [
    "of a kind that isn't there",
    () => at.signer.sign(steps("cmd_bad", 1, { kind: "helm" })),
    "COMMAND_KIND_UNAVAILABLE",
  ],
  [
    "with the rights of what is no account",
    () => at.signer.sign(steps("cmd_bad", 1, { serviceAccount: "a/b\nImpersonate-Group: system:masters" })),
    "COMMAND_ENVELOPE_INVALID",
  ],
])("scenario 30: a command %s is refused, and leaves nothing", async (_what, sign, code) => {
  const { folder } = await start();
  at.hub.submitSigned("cmd_bad", await sign());
  await expect(untilEnded("cmd_bad")).resolves.toMatchObject({ state: "refused", code });
  expect(at.runner.effects).toEqual([]);
  await expect(lifeOf(folder, "cmd_bad")).resolves.toBeUndefined();
});

test("without keys nothing is claimed, and the agent says why", async () => {
  const { executing, logged } = await start({ keys: [] });
  await at.hub.submit(at.signer, steps("cmd_early", 1));
  await expect(executing.check()).rejects.toMatchObject({ code: "COMMAND_KEYS_MISSING" });
  await until(() => logged.some((line) => "code" in line && line.code === "COMMAND_KEYS_MISSING"), "it is logged");
  expect(at.hub.calls).not.toContain("claim");
  await executing.learnKeys([at.signer.jwk]);
  await expect(untilEnded("cmd_early")).resolves.toMatchObject({ state: "succeeded" });
  await executing.check();
});

test("a graceful cancel ends the command at its next step", async () => {
  await start();
  at.runner.before = async (step, task) => {
    if (step === 2) await untilAbort(task.signal);
  };
  await at.hub.submit(at.signer, steps("cmd_cancelled", 3));
  await until(() => at.runner.effects.length === 1, "one step is done");
  at.hub.cancel("cmd_cancelled", Cancellation.GRACEFUL);
  await until(() => at.hub.commands.get("cmd_cancelled")?.outcome !== undefined, "it ends");
  expect(outcomeOf("cmd_cancelled")).toMatchObject({ state: "cancelled", code: "COMMAND_CANCELLED" });
});

test("a command that was done before it heeded the cancel has succeeded", async () => {
  await start();
  at.runner.run = async (task) => {
    await untilAbort(task.forced);
    return { json: "done" };
  };
  const command = await at.hub.submit(at.signer, steps("cmd_race", 1));
  await until(() => command.states.includes("running"), "it runs");
  at.hub.cancel("cmd_race", Cancellation.FORCED);
  await expect(untilEnded("cmd_race")).resolves.toMatchObject({ state: "succeeded", result: "done" });
});

test("an agent that stops gives its commands back, and the next one goes on at once", async () => {
  const first = await start();
  at.runner.before = async (step, task) => {
    if (step === 2) await untilAbort(task.signal);
  };
  const command = await at.hub.submit(at.signer, steps("cmd_handed", 2));
  await until(() => at.runner.effects.length === 1, "one step is done");
  await first.executing.stop({ drainMs: 5_000 });
  expect(command.outcome).toBeUndefined();
  const next = new StepsRunner();
  await start({ folder: first.folder, runner: next });
  await expect(untilEnded("cmd_handed")).resolves.toMatchObject({ state: "succeeded" });
  expect(next.effects).toEqual(["cmd_handed/2"]);
  expect(command.epoch).toBe(2n);
});

test("a kind that fails, and one that fails in a way that nobody knows, end in an outcome", async () => {
  await start();
  at.runner.run = async () => ({ json: { objects: 1 }, failure: undefined });
  await at.hub.submit(at.signer, steps("cmd_fine", 1));
  await expect(untilEnded("cmd_fine")).resolves.toMatchObject({ state: "succeeded" });
  at.runner.run = async (task) => {
    task.secrets.conceal("hunter2-canary");
    throw new Error("hunter2-canary is wrong");
  };
  const { logged } = at.running[0] as TestExecuting;
  await at.hub.submit(at.signer, steps("cmd_broken", 1));
  await expect(untilEnded("cmd_broken")).resolves.toMatchObject({ state: "failed", code: "COMMAND_FAILED" });
  expect(JSON.stringify(logged)).toContain("*** is wrong");
  expect(JSON.stringify(logged)).not.toContain("hunter2");
});

test("commands run side by side, but no more than asked for", async () => {
  const open = new Set<string>();
  let most = 0;
  at.runner.before = async (_step, task) => {
    most = Math.max(most, open.add(task.id).size);
    await new Promise((resolve) => setTimeout(resolve, 30));
    open.delete(task.id);
  };
  await start({ parallel: 2 });
  await Promise.all(Array.from({ length: 6 }, (_, index) => at.hub.submit(at.signer, steps(`cmd_many${index}`, 1))));
  await until(() => [...at.hub.commands.values()].every(({ outcome }) => outcome !== undefined), "all end");
  expect(most).toBe(2);
});

test("what is told of many commands travels together, and one that can't doesn't hold up the others", async () => {
  const together = 12;
  const gate = Promise.withResolvers<void>();
  at.runner.before = () => gate.promise;
  at.hub.loners.add("cmd_with3");
  await start({ parallel: together });
  const ids = Array.from({ length: together }, (_, index) => `cmd_with${index}`);
  for (const id of ids) await at.hub.submit(at.signer, steps(id, 1));
  await until(() => ids.every((id) => at.hub.commands.get(id)?.states.includes("running")), "all run");
  gate.resolve();
  await Promise.all(ids.map((id) => untilEnded(id)));
  expect(ids.map((id) => at.hub.commands.get(id)?.outcomes)).toEqual(ids.map(() => 1));
  expect(at.hub.calls).toContain("reportAll");
});

test.each(["before", "after"] as const)(
  "reports of many that are cut %s they took effect count once",
  async (place) => {
    let left = 2;
    at.hub.fault = (name, at) => name === "reportAll" && at === place && left-- > 0;
    await start({ parallel: 8 });
    const ids = Array.from({ length: 8 }, (_, index) => `cmd_cut${index}`);
    for (const id of ids) await at.hub.submit(at.signer, steps(id, 1));
    await Promise.all(ids.map((id) => untilEnded(id)));
    expect(ids.map((id) => at.hub.commands.get(id)?.outcomes)).toEqual(ids.map(() => 1));
    expect(at.runner.effects.toSorted()).toEqual(ids.map((id) => `${id}/1`));
  },
);

test("scenario 29: many commands leave nothing behind, neither in memory nor in folders of programs", {
  timeout: 60_000,
}, async () => {
  const { executing, folder } = await start({ parallel: 16 });
  const ballast = "x".repeat(60_000);
  let count = 0;
  const round = async (): Promise<number> => {
    const ids = Array.from({ length: 50 }, () => `cmd_many${count++}`);
    for (const id of ids) await at.hub.submit(at.signer, steps(id, 1, { spec: { steps: 1, ballast } }));
    await until(() => ids.every((id) => at.hub.commands.get(id)?.outcome !== undefined), "all have ended", {
      timeoutMs: 60_000,
    });
    await until(() => executing.heldCount === 0, "nothing is held");
    await until(() => ids.every((id) => at.hub.commands.get(id)?.log.length !== 0), "all logs are there");
    at.hub.commands.clear();
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await round();
  const before = await round();
  // The specs of one round alone are almost three times as much.
  expect((await round()) - before).toBeLessThan(1024 * 1024);
  expect((await readdir(join(folder, "spool"))).filter((name) => name.startsWith("work-"))).toEqual([]);
});

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}
