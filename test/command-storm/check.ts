// Checks after the storm, when every command has come to its end.
import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type CommandDetail, commandOutcomes } from "@fairlead/contract";
import { requestHub } from "../fleet/request-hub.ts";
import { hasCanary, searchFolder, spellingsOf } from "./canary.ts";
import type { Asked, Line } from "./clients.ts";
import type { DeedKind } from "./deeds/index.ts";
import type { Harness } from "./harness.ts";

export async function checkCommands(harness: Harness, lines: readonly Line[], patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (const line of lines) {
    const ended: Ended[] = [];
    for (const asked of line.asked) ended.push({ asked, command: await awaitEnd(harness, asked.id, deadline) });
    for (const each of ended) checkOutcome(harness, line, each);
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

function checkOutcome(harness: Harness, { kind, target }: Line, { asked, command }: Ended): void {
  if (command === undefined) return;
  const { id, state, history, trouble } = command;
  const { deed, turn, isCancelled } = asked;
  harness.count(`${kind.kind} ${state}`);
  const ends = history.filter(({ to }) => (commandOutcomes as readonly string[]).includes(to));
  if (ends.length !== 1) harness.breaks(`${id} has ${ends.length} outcomes`);
  if (state === deed.end || (isCancelled && state === "cancelled")) return;
  harness.breaks(`${id}, turn ${turn} of ${target}, ended as ${state} (${trouble?.code}: ${trouble?.message})`);
}

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
  for (const { joined } of harness.grounds) await searchFolder(harness, joined.agent.stateDir);
}
