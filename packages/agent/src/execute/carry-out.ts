// Takes a claimed command from its envelope to an outcome that the hub has. If this process ends in between, the record
// says how far the command came, and the next claim goes on from there.
import { sleep, toFairleadError } from "@fairlead/kernel";
import type { ClaimedCommand, CommandEnvelope } from "@fairlead/protocol";
import type { ExecuteDependencies } from "./dependencies.ts";
import { executeErrors } from "./errors.ts";
import type { HeldCommand } from "./held-command.ts";
import { isServiceAccount } from "./impersonation.ts";
import { sendOwedLog, untilSent } from "./log/index.ts";
import { chooseNextAction, digestOfAsked, requireBeginnable } from "./next-action.ts";
import { digestOf, type Outcome, refusal } from "./outcome.ts";
import { type Claim as Claimed, perform } from "./perform.ts";
import { digestOfPlan } from "./plan-digest.ts";
import { judgeProposal } from "./proposals/index.ts";
import {
  type OwedLog,
  openRecord,
  owedLog,
  type RecordedPlan,
  type RecordKeeper,
  type RecordLife,
} from "./records/index.ts";
import { createReporter, type Reporter } from "./reporter.ts";
import { openTaskLog, type TaskLog } from "./task-log.ts";
import { traceRun } from "./trace-run.ts";
import { checkTime, verifyEnvelope } from "./verify-envelope.ts";

/** Resolves when there is nothing left to do for this claim. Rejects only with the reason of `signal`. */
export async function carryOut(
  options: ExecuteDependencies,
  command: ClaimedCommand,
  held: HeldCommand,
): Promise<void> {
  const { reports, counters, clock, log, signal } = options;
  const { id, epoch } = held;
  const reporter = createReporter({ id, epoch, reports, clock, onRefused: () => held.lease.lose(), signal });
  reporter.progress("resolving");
  try {
    const envelope = await verify(options, command);
    await conclude(options, { command, held, reporter, envelope });
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toFairleadError(thrown);
    const isLost = executeErrors.is(error, "COMMAND_LEASE_LOST");
    if (isLost) counters.lost++;
    log[isLost ? "info" : "warn"]({ command: id, err: error }, isLost ? "a command is lost" : "a command is refused");
    // Nothing was done for it, so there is nothing to record.
    if (isLost || executeErrors.is(error, "COMMAND_AGENT_STOPS")) return;
    await report(options, reporter, refusal(error));
    held.settle();
  }
}

async function verify(options: ExecuteDependencies, { id, envelope: jws }: ClaimedCommand): Promise<CommandEnvelope> {
  const { keys, refreshKeys, cluster } = options;
  const read = (): Promise<CommandEnvelope> => verifyEnvelope({ jws, id, cluster: cluster() ?? "", keys });
  const envelope = await read().catch(async (error: unknown) => {
    if (!executeErrors.is(error, "COMMAND_KEY_UNKNOWN")) throw error;
    // The hub's key may have been followed by another one since the link began.
    await refreshKeys();
    return await read();
  });
  requireAccount(options, envelope);
  if (!options.policy.allowsKind(envelope.kind) || options.runners[envelope.kind] === undefined)
    throw executeErrors.COMMAND_KIND_UNAVAILABLE({ kind: envelope.kind });
  return envelope;
}

function requireAccount({ policy }: ExecuteDependencies, { serviceAccount }: CommandEnvelope): void {
  if (serviceAccount !== undefined && !isServiceAccount(serviceAccount)) throw executeErrors.COMMAND_ENVELOPE_INVALID();
  const verdict = policy.judgeServiceAccount(serviceAccount);
  if (verdict.allowed) return;
  const { rule, reason } = verdict;
  throw executeErrors.COMMAND_ACCOUNT_DENIED({ rule, reason });
}

interface Claim extends Claimed {
  readonly command: ClaimedCommand;
}

/** Throws where nothing was done. */
async function conclude(options: ExecuteDependencies, claim: Claim): Promise<void> {
  const { records: store, clock, clockSkewMs, counters, signal } = options;
  const { held, envelope, reporter } = claim;
  const { id, kind, expiresAtMs } = envelope;
  await untilTimesAgree(options, claim);
  const why = reasonToHoldBack(options, envelope);
  if (why !== undefined) return await holdBack(options, claim, why);
  const record = await openRecord({
    store,
    id,
    kind,
    expiresAtMs,
    clock,
    askedAtMs: isSmall(envelope) ? envelope.issuedAtMs : undefined,
    asked: digestOfPlan(digestOfAsked(envelope), envelope.dryRun),
    epoch: Number(held.epoch),
    spool: spoolNameOf(options),
    signal: AbortSignal.any([held.lease.signal, signal]),
    // A command that began in time is brought to its end, however late.
    onUnknown: () => requireBeginnable(envelope, clock.now() + clockSkewMs()),
  });
  const { life } = record;
  if (life.is === "settled") throw executeErrors.COMMAND_REPLAYED();
  if (life.is === "ended") return await deliverEnded(options, claim, record, life);
  const isCancelled = executeErrors.is(held.signal.reason, "COMMAND_CANCELLED");
  const action = chooseNextAction(envelope, life, { hubNowMs: clock.now() + clockSkewMs(), isCancelled });
  if (action.is === "tell") return await tell(options, claim, action.plan);
  const { spoolBefore = spoolNameOf(options) } = record;
  using log = openTaskLog(options, { ...claim, isLogElsewhere: spoolBefore !== spoolNameOf(options) });
  const done = await traceRun(options, { ...claim, action }, () => perform(options, claim, { record, log, action }));
  const logBytes = log.end();
  const patience = AbortSignal.any([signal, held.left]);
  if (done === undefined) {
    if (held.lease.signal.aborted) counters.lost++;
    else await leaveLog(options, claim, { record, log, patience });
    return;
  }
  if (done.is === "planned") {
    await Promise.race([log.sent, sleep(logFirstMs, { clock, signal: patience })]);
    await tell(options, claim, done);
    return await untilSent(log, { clock, patienceMs: logLastMs, signal: patience });
  }
  const outcome = { ...done.outcome, logBytes };
  const { spoolId: spool } = options;
  await keep(options, claim, record, { is: "ended", outcome, sequence: reporter.sequence, spool });
  await Promise.race([log.sent, sleep(logFirstMs, { clock, signal: patience })]);
  // The record goes on to say that the log is owed until the hub has it, whatever becomes of this process.
  const owes = log.isSent ? undefined : owedLog(outcome, spool);
  const isTaken = await deliver(options, claim, record, outcome, owes);
  await untilSent(log, { clock, patienceMs: logLastMs, signal: patience });
  if (!isTaken || !log.isSent) return;
  await log.tellLost(patience);
  if (owes) await settle(options, claim, record, outcome, undefined);
}

/** The command is given back after this, and the next claim may be on another disk: then nothing is missing in the log. */
async function leaveLog(
  options: ExecuteDependencies,
  claim: Claim,
  { record, log, patience }: { readonly record: RecordKeeper; readonly log: TaskLog; readonly patience: AbortSignal },
): Promise<void> {
  await Promise.race([log.sent, sleep(logFirstMs, { clock: options.clock, signal: patience })]);
  const { life } = record;
  if (log.isSent && life.is === "open") await keep(options, claim, record, { ...life, spool: undefined });
}

/** A disk that takes nothing has no name. */
function spoolNameOf({ spoolId = "none" }: ExecuteDependencies): string {
  return spoolId;
}

/** The run that ended it died before the hub had all. */
async function deliverEnded(
  options: ExecuteDependencies,
  claim: Claim,
  record: RecordKeeper,
  { outcome, spool }: Extract<RecordLife, { readonly is: "ended" }>,
): Promise<void> {
  const { folder, logs, hub, clock, signal, spoolId } = options;
  const { id, epoch, logOffset } = claim.command;
  const from = Number(logOffset);
  const owes = from < outcome.logBytes ? owedLog(outcome, spool) : undefined;
  const isTaken = await deliver(options, claim, record, outcome, owes);
  // The agent on that disk sends the log that waits there.
  if (!isTaken || owes === undefined || owes.spool !== spoolId) return;
  const patience = AbortSignal.any([signal, claim.held.left]);
  const isSettled = await sendOwedLog(
    {
      id,
      epoch,
      from,
      bytes: owes.bytes,
      spool: { folder, ...logs },
      isTaken: () => claim.held.left.aborted,
      hub,
      clock,
      patienceMs: logLastMs,
    },
    patience,
  );
  if (isSettled) await settle(options, claim, record, outcome, undefined);
}

/**
 * A clock that has just been set is no reason to refuse a command: the hub says its time with its next ping. Later claims
 * have begun already, and aren't refused for the time.
 */
async function untilTimesAgree(options: ExecuteDependencies, { held, envelope }: Claim): Promise<void> {
  const { clock, clockSkewMs, untilTimeSaid, signal } = options;
  if (untilTimeSaid === undefined || held.epoch > 1n) return;
  try {
    checkTime(envelope, clock.now() + clockSkewMs());
  } catch {
    await untilTimeSaid(AbortSignal.any([held.lease.signal, signal]));
  }
}

/** Undefined for what may be planned, and for what is carried out by an approved plan. */
function reasonToHoldBack({ runners, policy }: ExecuteDependencies, envelope: CommandEnvelope): string | undefined {
  if (envelope.approval?.is === "given") return undefined;
  const verdict = judgeProposal(envelope, () => ({
    kind: envelope.kind,
    spec: runners[envelope.kind]?.parse(envelope.spec),
    listsChart: policy.listsChart,
  }));
  return verdict.mayPlan ? undefined : verdict.why;
}

/** Leaves no record: the next claim, with the approval, begins as if it were the first. */
async function holdBack(options: ExecuteDependencies, { held, envelope, reporter }: Claim, why: string): Promise<void> {
  const { clock, clockSkewMs, counters, log } = options;
  requireBeginnable(envelope, clock.now() + clockSkewMs());
  log.info({ command: held.id, requester: envelope.requester, why }, "a proposal is held back");
  counters.unreported++;
  try {
    await reporter.planApprovalNeeded(executeErrors.COMMAND_PLAN_APPROVAL_NEEDED({ why }));
  } finally {
    counters.unreported--;
  }
  held.settle();
}

/** Other commands may take long, and their records grow: each has a Secret of its own. */
function isSmall({ kind, spec }: CommandEnvelope): boolean {
  return kind === "manifests" && JSON.stringify(spec).length <= smallSpecLength;
}

/** The claim ends with it: people are asked, and whoever claims the command then goes by the record. */
async function tell(
  { counters }: ExecuteDependencies,
  { held, reporter }: Claim,
  planned: RecordedPlan,
): Promise<void> {
  counters.unreported++;
  try {
    await reporter.planned(planned);
  } finally {
    counters.unreported--;
  }
  held.settle();
}

/** Until the hub has the outcome, or says that it isn't this claim's to tell. */
async function deliver(
  options: ExecuteDependencies,
  claim: Claim,
  record: RecordKeeper,
  outcome: Outcome,
  owes: OwedLog | undefined,
): Promise<boolean> {
  const isTaken = await report(options, claim.reporter, outcome);
  claim.held.settle();
  if (isTaken) await settle(options, claim, record, outcome, owes);
  return isTaken;
}

async function settle(
  options: ExecuteDependencies,
  claim: Claim,
  record: RecordKeeper,
  outcome: Outcome,
  owes: OwedLog | undefined,
): Promise<void> {
  await keep(options, claim, record, { is: "settled", outcomeDigest: digestOf(outcome), owes });
}

/** A record that can't be written any more is no reason to keep from the hub what was done. */
async function keep(
  options: ExecuteDependencies,
  { held }: Claim,
  record: RecordKeeper,
  life: RecordLife,
): Promise<void> {
  const { log, signal } = options;
  await record.write(life, signal).catch((error: unknown) => {
    if (signal.aborted || executeErrors.is(error, "COMMAND_LEASE_LOST")) throw error;
    log.error({ command: held.id, err: error }, "the end of a command can't be recorded");
  });
}

async function report(options: ExecuteDependencies, reporter: Reporter, outcome: Outcome): Promise<boolean> {
  const { counters } = options;
  counters.unreported++;
  try {
    const isTaken = await reporter.outcome(outcome);
    if (isTaken) counters.ended[outcome.state]++;
    return isTaken;
  } finally {
    counters.unreported--;
  }
}

/** For the log to be there when the outcome is. */
const logFirstMs = 5_000;
const logLastMs = 5 * 60_000;
const smallSpecLength = 2_048;
