// Clears up the records that earlier runs left. Outcomes that the hub hasn't taken are told to it, and records that
// aren't needed against doing a command twice any more are removed.
import { sleep } from "@fairlead/kernel";
import type { ExecuteLog } from "./dependencies.ts";
import { digestOf } from "./outcome.ts";
import { createOwedLogs, type OwedLogsOptions } from "./owed-logs.ts";
import { type CommandRecord, owedLog, type StoredRecord } from "./records/index.ts";
import type { ReportSender } from "./send-reports.ts";
import { settlePlans } from "./settle-plans.ts";
import { leewayMs } from "./verify-envelope.ts";

export interface OutboxOptions extends OwedLogsOptions {
  readonly reports: ReportSender;
  readonly instanceId: string;
  /** This agent is at work on it, and reports by itself. */
  readonly isHeld: (id: string) => boolean;
  /** Told of which commands there are records that may need their logs. */
  readonly onListed: (isKnown: (id: string) => boolean) => void;
  readonly clockSkewMs: () => number;
  readonly log: ExecuteLog;
}

/** At once, and then now and then, until the signal aborts. */
export async function keepOutbox(options: OutboxOptions, signal: AbortSignal): Promise<void> {
  const { records, hub, isHeld, onListed, clock, log } = options;
  /** Outcomes that the hub doesn't want from their claims: whoever claims such a command next tells it again. */
  const unwanted = new Map<string, number>();
  const logs = createOwedLogs(options);
  while (!signal.aborted) {
    let waitMs = everyMs;
    try {
      const found = await records.list(signal);
      // The log of a settled command that owes nothing is of no use to anybody.
      const ids = new Set(found.filter(({ record }) => hasUseForLog(record)).map(({ record }) => record.id));
      onListed((id) => ids.has(id));
      const told: StoredRecord[] = [];
      for (const stored of found) told.push((await settle(stored)) ?? stored);
      const plans = found.filter(({ record }) => record.life.is === "planned" && !isHeld(record.id));
      if (plans.length > 0) waitMs = planMs;
      await settlePlans(options, plans, signal);
      // Last, since they may be long.
      for (const stored of told) if (!(await logs.settle(stored, signal))) waitMs = planMs;
    } catch (error) {
      waitMs = retryMs;
      if (!signal.aborted) log.warn({ err: error, place: records.place }, "the records of commands aren't all settled");
    }
    await sleep(waitMs, { clock, signal }).catch(() => undefined);
  }

  /** Resolves with the record as it is then, if that is known. */
  async function settle(stored: StoredRecord): Promise<StoredRecord | undefined> {
    const { record, version } = stored;
    const { id, epoch, life } = record;
    if (isHeld(id)) return undefined;
    if (life.is === "ended" && unwanted.get(id) !== epoch) {
      await hub.untilClient(signal);
      const isTaken = await deliver(stored);
      if (isTaken) return await markSettled(stored);
      unwanted.set(id, epoch);
      return undefined;
    }
    if (!isKept(record, clock.now() + options.clockSkewMs())) {
      await records.remove(id, signal, version);
      unwanted.delete(id);
    }
    return undefined;
  }

  async function deliver({ record }: StoredRecord): Promise<boolean> {
    const { id, epoch, life } = record;
    if (life.is !== "ended") return true;
    const { outcome, sequence } = life;
    const isTaken = await options.reports.send(
      { id, epoch: BigInt(epoch), sequence, step: outcome },
      // A hub that fails for this one is asked about the others, too.
      AbortSignal.any([signal, AbortSignal.timeout(reportMs)]),
    );
    log.info({ command: id, outcome: outcome.state, isTaken }, "the outcome of an earlier run was told");
    return isTaken;
  }

  async function markSettled({ record, version }: StoredRecord): Promise<StoredRecord | undefined> {
    if (record.life.is !== "ended") return undefined;
    const { outcome, spool } = record.life;
    const life = { is: "settled", outcomeDigest: digestOf(outcome), owes: owedLog(outcome, spool) } as const;
    const settled = { ...record, life };
    const written = await records.write(settled, version, signal);
    // Lost to another writer it is settled by that one.
    return written === undefined ? undefined : { record: settled, version: written };
  }
}

function hasUseForLog({ life }: CommandRecord): boolean {
  return life.is !== "settled" || life.owes !== undefined;
}

/** As long as the envelope is taken; a plan, as long as it may be approved and carried out; what isn't at its end, for as long as somebody may want to look. */
function isKept({ expiresAtMs, life }: CommandRecord, hubNowMs: number): boolean {
  if (life.is === "planned") return hubNowMs < life.keptUntilMs;
  if (life.is === "settled" && life.owes !== undefined) return true;
  return hubNowMs < expiresAtMs + leewayMs + (life.is === "open" ? unfinishedMs : graceMs);
}

const everyMs = 10 * 60_000;
/** While plans wait for people. */
const planMs = 60_000;
const retryMs = 30_000;
const reportMs = 60_000;
const graceMs = 60_000;
const unfinishedMs = 7 * 24 * 3_600_000;
