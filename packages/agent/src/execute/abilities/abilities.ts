// Which kinds of commands this agent can run: those whose programs are there, in versions that will do. Missing
// programs are looked for again now and then: a machine that was too busy to answer isn't without the program.
import { type Clock, type FairleadError, sleep, toFairleadError } from "@fairlead/kernel";
import { isCommandKind } from "@fairlead/protocol";
import { askVersion, type Fence, processErrors } from "../../processes/index.ts";
import type { ExecuteLog } from "../dependencies.ts";
import { isFit, type ProgramNeed, programNeeds, wantedOf } from "./needs.ts";

export interface Abilities {
  /** By name. */
  readonly programs: ReadonlyMap<string, string>;
  canRun(kind: string): boolean;
  /** Looks for what is missing, until nothing is or the signal aborts. */
  keep(signal: AbortSignal): Promise<void>;
}

export async function findAbilities(options: {
  /** Those that this agent has code for. */
  readonly kinds: readonly string[];
  /** Programs are reported missing only for kinds that this allows. */
  readonly isAllowed: (kind: string) => boolean;
  /** The agent's own variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where programs have their folders. */
  readonly folder: string;
  /** As in ExecuteDependencies. */
  readonly fence: () => Promise<Fence | undefined>;
  readonly clock: Clock;
  readonly log: Pick<ExecuteLog, "info" | "warn">;
  readonly signal: AbortSignal;
}): Promise<Abilities> {
  const { kinds, isAllowed, environment, folder, fence, clock, log } = options;
  const needs = new Map(kinds.flatMap(needsOf).map((need) => [need.name, need]));
  const programs = new Map<string, string>();
  const shortcomings = new Map<string, FairleadError>();
  await look(options.signal);
  tell();
  return { programs, canRun, keep };

  function canRun(kind: string): boolean {
    return needsOf(kind).every(({ name }) => programs.has(name));
  }

  async function look(signal: AbortSignal): Promise<void> {
    const missing = [...needs.values()].filter(({ name }) => !programs.has(name));
    await Promise.all(missing.map((need) => ask(need, signal)));
  }

  async function ask(need: ProgramNeed, signal: AbortSignal): Promise<void> {
    try {
      const version = await askVersion(need, { environment, folder, clock, signal, fence: await fence() });
      if (version === undefined || !isFit(need, version)) throw unfit(need, version);
      programs.set(need.name, version);
      shortcomings.delete(need.name);
    } catch (error) {
      shortcomings.set(need.name, toFairleadError(error));
    }
  }

  async function keep(signal: AbortSignal): Promise<void> {
    while (shortcomings.size > 0 && !signal.aborted) {
      await sleep(againMs, { clock, signal }).catch(() => undefined);
      if (signal.aborted) return;
      const before = describe();
      await look(signal);
      if (!signal.aborted && describe() !== before) tell();
    }
  }

  function tell(): void {
    const found = Object.fromEntries(programs);
    log.info({ kinds: kinds.filter(canRun), programs: found }, "these kinds of commands can be run here");
    for (const kind of kinds.filter((one) => isAllowed(one) && !canRun(one))) {
      const [why] = needsOf(kind).flatMap(({ name }) => shortcomings.get(name) ?? []);
      log.warn({ kind, code: why?.code, hint: why?.hint }, `commands of this kind aren't claimed: ${why?.message}`);
    }
  }

  /** Changes with what is told. */
  function describe(): string {
    return JSON.stringify([[...programs], [...shortcomings].map(([name, { message }]) => [name, message]).sort()]);
  }
}

function needsOf(kind: string): readonly ProgramNeed[] {
  return isCommandKind(kind) ? programNeeds[kind] : [];
}

function unfit(need: ProgramNeed, version = "unknown"): FairleadError {
  return processErrors.PROCESS_VERSION_UNFIT({ program: need.name, version, wanted: wantedOf(need) });
}

const againMs = 60_000;
