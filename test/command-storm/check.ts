// Checks after the storm, when every command has come to its end.
import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type CommandDetail, commandOutcomes } from "@fairlead/contract";
import type { FaultKind, PastFault } from "../fleet/keep-failing.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { hasCanary, searchFolder, spellingsOf } from "./canary.ts";
import type { Asked, Line } from "./clients.ts";
import type { DeedKind } from "./deeds/index.ts";
import type { Harness } from "./harness.ts";

export async function checkCommands(options: {
  readonly harness: Harness;
  readonly lines: readonly Line[];
  readonly faults: readonly PastFault[];
  readonly patienceMs: number;
}): Promise<void> {
  const { harness, lines, faults, patienceMs } = options;
  const deadline = performance.now() + patienceMs;
  for (const line of lines) {
    const ended: Ended[] = [];
    for (const asked of line.asked) ended.push({ asked, command: await awaitEnd(harness, asked.id, deadline) });
    for (const each of ended) checkOutcome({ harness, line, faults, ended: each });
    const { ground, kind, target } = line;
    for (const problem of await kind.check(ground, target, turnsThatCount(ended))) harness.breaks(problem);
  }
}

interface Ended {
  readonly asked: Asked;
  readonly command: CommandDetail | undefined;
}

async function awaitEnd(harness: Harness, id: string, deadline: number): Promise<CommandDetail | undefined> {
  let seen: CommandDetail | undefined;
  do {
    const answer = await requestHub(harness.hub, `/api/v1/commands/${id}`).catch(() => undefined);
    if (answer?.status === 404) break;
    if (answer?.status === 200) seen = answer.json() as CommandDetail;
    if (seen?.finishedAt !== undefined) return seen;
    await delay(250);
  } while (performance.now() < deadline);
  harness.breaks(`${id} has no end: ${seen?.state ?? "the hub doesn't know it"}`);
  return undefined;
}

function checkOutcome(options: {
  readonly harness: Harness;
  readonly line: Line;
  readonly faults: readonly PastFault[];
  readonly ended: Ended;
}): void {
  const { harness, line, faults, ended } = options;
  const { asked, command } = ended;
  if (command === undefined) return;
  const { kind, target, ground } = line;
  const { id, state, history, trouble } = command;
  const { deed, turn, isCancelled } = asked;
  harness.count(`${kind.kind} ${state}`);
  const ends = history.filter(({ to }) => (commandOutcomes as readonly string[]).includes(to));
  if (ends.length !== 1) harness.breaks(`${id} has ${ends.length} outcomes`);
  if (state === deed.end || (isCancelled && state === "cancelled")) return;
  const met = faults.find((fault) => fault.place === ground.joined.name && mayEnd(command, fault));
  if (met !== undefined) harness.count(`${kind.kind} ${state} under ${met.kind}`);
  else harness.breaks(`${id}, turn ${turn} of ${target}, ended as ${state} (${trouble?.code}: ${trouble?.message})`);
}

/**
 * A program gives up when its API server is away or its disk is full, and so does its command, with a reason. Nothing else
 * excuses a command that failed.
 */
function mayEnd({ state, trouble, history, finishedAt }: CommandDetail, fault: PastFault): boolean {
  if (!endsCommands.has(fault.kind) || state !== "failed" || trouble === undefined) return false;
  const claimedMs = Date.parse(history.find(({ to }) => to === "claimed")?.at ?? "");
  return claimedMs <= fault.toMs + settleMs && Date.parse(finishedAt ?? "") >= fault.fromMs;
}

const endsCommands: ReadonlySet<FaultKind> = new Set<FaultKind>(["api-server-restarted", "disk-full"]);
/** An API server that has just begun isn't whole yet. */
const settleMs = 10_000;

/** -1 stands for nothing at all. */
function turnsThatCount(ended: readonly Ended[]): readonly number[] {
  const last = ended.findLastIndex(({ command }) => command?.state === "succeeded");
  const since = ended.slice(last + 1).filter(({ command }) => command?.state !== "refused");
  const turns = since.map(({ asked }) => asked.turn);
  return last < 0 ? [-1, ...turns] : [ended[last]?.asked.turn ?? -1, ...turns];
}

/** Nothing that a run began is left running, and no lock is left. */
export async function checkLeftovers(harness: Harness, kinds: readonly DeedKind[]): Promise<void> {
  for (const ground of harness.grounds) {
    const { agent, name } = ground.joined;
    for (const process of await findChildren(agent.stateDir, agent.process.pid))
      harness.breaks(`a process of ${name} runs on: ${process}`);
    for (const kind of kinds)
      for (const leftover of (await kind.findLeftovers?.(ground)) ?? []) harness.breaks(`${name}: ${leftover}`);
  }
}

/** By their home: programs of a command have a folder of the agent's for it. */
async function findChildren(stateDir: string, agentPid: number | undefined): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === agentPid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.includes(`HOME=${stateDir}/`)) continue;
    found.push((await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => pid)).replaceAll("\0", " "));
  }
  return found;
}

export async function checkSecrecy(harness: Harness, lines: readonly Line[]): Promise<void> {
  const spellings = spellingsOf(harness.canary);
  for (const { id } of lines.flatMap(({ asked }) => asked)) {
    for (const path of [`/api/v1/commands/${id}`, `/api/v1/commands/${id}/log`]) {
      const answer = await requestHub(harness.hub, path);
      if (hasCanary(Buffer.from(answer.text), spellings)) harness.breaks(`${path} has the canary`);
    }
  }
  for (const folder of [harness.hub.dataDir, dirname(harness.hub.logFile)]) await searchFolder(harness, folder);
  for (const folder of harness.grounds.flatMap(({ agentFolders }) => agentFolders)) await searchFolder(harness, folder);
}
