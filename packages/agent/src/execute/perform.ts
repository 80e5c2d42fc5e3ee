// Lets the command's kind do what the claim is for.
import { isFairleadError } from "@fairlead/kernel";
import type { CommandEnvelope } from "@fairlead/protocol";
import type { ExecuteDependencies } from "./dependencies.ts";
import type { HeldCommand } from "./held-command.ts";
import { checkImpersonation } from "./impersonation.ts";
import { makePlan } from "./make-plan.ts";
import type { NextAction } from "./next-action.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { withhold } from "./proposals/index.ts";
import type { PlanDigests, RecordedPlan, RecordKeeper } from "./records/index.ts";
import type { Reporter } from "./reporter.ts";
import { createTask } from "./task.ts";
import type { TaskLog } from "./task-log.ts";
import type { CommandRunner, PlanResult, RunResult, Task } from "./types.ts";

export interface Claim {
  readonly held: HeldCommand;
  readonly reporter: Reporter;
  readonly envelope: CommandEnvelope;
}

export interface Undertaking {
  readonly record: RecordKeeper;
  readonly log: TaskLog;
  readonly action: Exclude<NextAction, { readonly is: "tell" }>;
}

export type Performed = RecordedPlan | { readonly is: "ended"; readonly outcome: Omit<Outcome, "logBytes"> };

/** Undefined when it isn't at its end. */
export async function perform(
  options: ExecuteDependencies,
  claim: Claim,
  undertaking: Undertaking,
): Promise<Performed | undefined> {
  const { log: agentLog } = options;
  const { held, envelope } = claim;
  const { log, action } = undertaking;
  const { id, kind, dryRun, requester, serviceAccount } = envelope;
  const about = { command: id, kind, requester, serviceAccount, dryRun, action: action.is, epoch: Number(held.epoch) };
  agentLog.info(about, action.isBegun ? "a command goes on" : "a command begins");
  const ended = await attempt(options, claim, undertaking).catch((error: unknown) => ({
    error: held.signal.aborted ? meantBy(error, held) : error,
  }));
  if ("is" in ended) {
    agentLog.info(about, "a command is planned, and waits for approval");
    return ended;
  }
  // A run that lost its lease had no right to go on, so its error doesn't count: the next claim goes on.
  const isLost = held.lease.signal.aborted && "error" in ended;
  const outcome = isLost ? undefined : outcomeOf(ended, log.secrets);
  // The command's own errors may hold what it touched; what the agent's log gets is masked like all that leaves.
  if (outcome?.code === "COMMAND_FAILED" && "error" in ended)
    agentLog.error({ ...about, detail: log.mask(describeUnknown(ended.error)) }, "a command ended in an unknown error");
  agentLog.info({ ...about, outcome: outcome?.state, code: outcome?.code || undefined }, endWords[outcome ? 1 : 0]);
  return outcome && { is: "ended", outcome };
}

async function attempt(
  options: ExecuteDependencies,
  { held, envelope, reporter }: Claim,
  { record, log, action }: Undertaking,
): Promise<RecordedPlan | { readonly result: RunResult }> {
  // `verify` has looked.
  const runner = options.runners[envelope.kind] as CommandRunner;
  const approved = action.is === "apply" ? action.approved : undefined;
  const spec = runner.parse(envelope.spec);
  const task = createTask({ ...options, held, envelope, spec, record, approved, log });
  // A begun command is left to the kind, even after a cancel: it may have something to put right.
  if (!action.isBegun) {
    held.signal.throwIfAborted();
    await checkImpersonation(task.kube, envelope.serviceAccount, held.signal);
  }
  switch (action.is) {
    case "run":
      reporter.progress("running");
      return { result: await (envelope.dryRun ? planFor(envelope, runner, task) : runner.run(task)) };
    case "plan":
      reporter.progress("running");
      return await plan(options, { runner, task, envelope, record, log, keptMs: action.keptMs });
    case "apply": {
      // From here on it may have begun.
      if (record.life.is !== "open")
        await record.write({ is: "open", state: action.state, approved }, held.lease.signal);
      reporter.progress("applying");
      const result = await runner.run(task);
      if (result.asks === undefined) return { result };
      const keptMs = envelope.approval?.keptMs ?? 0;
      const shown = toShow(envelope, task, result.asks);
      return await keepPlan(options, shown, { task, envelope, record, log, keptMs, approved });
    }
  }
}

/** The plan is told when it is recorded. A command that would change nothing ends here. */
async function plan(
  options: ExecuteDependencies,
  { runner, ...planning }: Planning & { readonly runner: CommandRunner },
): Promise<RecordedPlan | { readonly result: RunResult }> {
  const { task, envelope } = planning;
  const result = await planFor(envelope, runner, task);
  if (result.failure !== undefined || result.isEmpty) return { result };
  return await keepPlan(options, result, planning);
}

type Planning = Omit<Undertaking, "action"> & {
  readonly task: Task<unknown>;
  readonly envelope: CommandEnvelope;
  readonly keptMs: number;
  /** The plan before, which is under way. */
  readonly approved?: PlanDigests | undefined;
};

async function keepPlan(
  { clock, clockSkewMs }: ExecuteDependencies,
  result: PlanResult,
  { task, envelope, record, log, keptMs, approved }: Planning,
): Promise<RecordedPlan> {
  const keptUntilMs = clock.now() + clockSkewMs() + keptMs + tellingMs;
  const state = task.state.read();
  const planned = makePlan({ envelope, result, state, secrets: log.secrets, keptUntilMs, approved });
  // Of a cancel that comes in the middle the hub says what becomes: the next claim cleans up.
  task.mayAct({ repair: approved !== undefined });
  await record.write(planned, task.forced);
  return planned;
}

async function planFor(envelope: CommandEnvelope, runner: CommandRunner, task: Task<unknown>): Promise<PlanResult> {
  return toShow(envelope, task, await runner.plan(task));
}

/** Whoever only proposes sees no field of an object in a plan that read Secrets. */
function toShow({ proposal }: CommandEnvelope, task: Task<unknown>, planned: PlanResult): PlanResult {
  return proposal !== undefined && task.secrets.read.size > 0 ? withhold(planned) : planned;
}

/** A wait that was ended by the signal may say so in its own words. */
function meantBy(error: unknown, { signal }: HeldCommand): unknown {
  const isEnded = error instanceof Error && error.name === "AbortError";
  return isEnded || (isFairleadError(error) && error.cause === signal.reason) ? signal.reason : error;
}

function describeUnknown(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const endWords = ["a command is left as it is, for the next claim", "a command has ended"] as const;
/** How late the hub may hear of a plan. */
const tellingMs = 24 * 3_600_000;
