// Lets something happen to a run: its row is locked, the commands that have ended are looked at, and the states decide
// the outcome. The record of resources is written in the same transaction.
import { isDeepStrictEqual } from "node:util";
import type { CommandApproval, CommandOutcome } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { awaitedApproval } from "../../commands/index.ts";
import { endIfIdle } from "../../runs/index.ts";
import { stackErrors } from "./errors.ts";
import { keepOutcome } from "./resources.ts";
import { nameOfRun, type RunRow, type StepRow, stepColumns, toRunState, toRunStep } from "./rows.ts";
import type { RunState } from "./run-state.ts";
import { settleSteps } from "./settle-steps.ts";
import { nextStepState, type StepState } from "./step-state.ts";

export interface StackStore {
  /** Undefined when there is no such run. */
  settle(id: string, asked?: { readonly cancelledBy?: string | undefined }): Promise<SettledStackRun | undefined>;
  /** Closes a step that can't be begun, or that has nothing to do. */
  closeStep(id: string, place: number, how: ClosedStep): Promise<void>;
  /** Those for which there may be something to do. */
  listDue(): Promise<readonly string[]>;
}

export interface SettledStackRun {
  readonly run: RunRow;
  readonly steps: readonly StepRow[];
  readonly before: RunState;
  readonly after: RunState;
}

interface ClosedStep {
  readonly event: { readonly type: "refused" } | { readonly type: "nothing-there" };
  readonly error: FairleadError;
}

export function createStackStore(db: Kysely<Tables>): StackStore {
  return {
    settle: (id, asked = {}) => db.transaction().execute((trx) => settle(trx, id, asked)),
    closeStep: (id, place, how) => db.transaction().execute((trx) => closeStep(trx, { id, place, ...how })),
    async listDue() {
      const runs = db.selectFrom("stack_run").select("id").where("finished_at", "is", null).orderBy("number");
      return (await runs.execute()).map(({ id }) => id);
    },
  };
}

/** Until the end of the transaction nobody else changes it or one of its steps. */
export async function lockRun(trx: Transaction<Tables>, id: string): Promise<RunRow | undefined> {
  return await trx
    .selectFrom("stack_run")
    .selectAll()
    .select(endIfIdle.as("idle"))
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

async function settle(
  trx: Transaction<Tables>,
  id: string,
  { cancelledBy }: { readonly cancelledBy?: string | undefined },
): Promise<SettledStackRun | undefined> {
  const run = await lockRun(trx, id);
  if (!run) return undefined;
  const steps = await readSteps(trx, id);
  const before = toRunState(run);
  if (before.is === "ended") return { run, steps, before, after: before };
  const { ended, awaited } = await readCommands(trx, steps);
  const outcomes = new Map(ended.map(({ id: command, outcome }) => [command, outcome]));
  const isCancelled = cancelledBy !== undefined;
  const settled = settleSteps(before, steps.map(toRunStep), { outcomes, isCancelled });
  const written: StepRow[] = [];
  for (const step of steps) {
    const state = settled.steps.get(step.place);
    const approval = awaited.get(step.command ?? "") ?? null;
    if (state && state.is !== step.state) written.push(await writeStep(trx, { run, step, steps, state, ended }));
    else if (!isDeepStrictEqual(approval, step.approval)) written.push(await writeApproval(trx, step, approval));
    else written.push(step);
  }
  const after = settled.run;
  const isOver = after.is === "ended";
  const isChanged = written.some((step, index) => step !== steps[index]) || isCancelled || isOver;
  if (!isChanged) return { run, steps, before, after };
  const row = await trx
    .updateTable("stack_run")
    .set({
      state: nameOfRun(after),
      version: run.version + 1,
      ...(isOver ? { finished_at: sql<Date>`clock_timestamp()` } : {}),
      ...(isCancelled
        ? {
            by_whom: cancelledBy,
            cancellation: run.cancellation === null ? ("graceful" as const) : ("forced" as const),
          }
        : {}),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (isOver) await trx.updateTable("stack_step").set({ spec: null }).where("run", "=", id).execute();
  return { run: row, steps: written, before, after };
}

interface EndedCommand {
  readonly id: string;
  readonly outcome: CommandOutcome;
  readonly trouble: Trouble | undefined;
}

type Trouble = Pick<StepRow, "code" | "message" | "hint">;

/** Also those that were forgotten after their end. */
async function readCommands(
  trx: Transaction<Tables>,
  steps: readonly StepRow[],
): Promise<{
  readonly ended: readonly EndedCommand[];
  /** The approvals that commands wait for, by the commands' ids. */
  readonly awaited: ReadonlyMap<string, CommandApproval>;
}> {
  const running = steps.flatMap(({ state, command }) => (state === "running" && command !== null ? [command] : []));
  if (running.length === 0) return { ended: [], awaited: new Map() };
  const rows = await trx
    .selectFrom("command")
    .select(["id", "state", "code", "message", "hint", "finished_at"])
    .select(awaitedApproval.as("approval"))
    .where("id", "in", running)
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  const ended = running.flatMap((id): EndedCommand[] => {
    const row = found.get(id);
    if (row && row.finished_at === null) return [];
    const outcome = (row?.state ?? "lost") as CommandOutcome;
    if (outcome === "succeeded") return [{ id, outcome, trouble: undefined }];
    const own = row && row.code !== null ? { code: row.code, message: row.message, hint: row.hint } : undefined;
    return [{ id, outcome, trouble: own ?? toTrouble(stackErrors.STACK_COMMAND_UNSUCCESSFUL({ outcome })) }];
  });
  return { ended, awaited: new Map(rows.flatMap(({ id, approval }) => (approval ? [[id, approval]] : []))) };
}

async function writeStep(
  trx: Transaction<Tables>,
  writing: {
    readonly run: RunRow;
    readonly step: StepRow;
    readonly steps: readonly StepRow[];
    readonly state: StepState;
    readonly ended: readonly EndedCommand[];
  },
): Promise<StepRow> {
  const { run, step, state, ended } = writing;
  if (run.action !== "plan") await keepOutcome(trx, step, state);
  const trouble = ended.find(({ id }) => id === step.command)?.trouble ?? toSkipTrouble(writing);
  return await trx
    .updateTable("stack_step")
    .set({ state: state.is, approval: null, ...trouble })
    .where("run", "=", run.id)
    .where("place", "=", step.place)
    .returning(stepColumns)
    .executeTakeFirstOrThrow();
}

async function writeApproval(
  trx: Transaction<Tables>,
  { run, place }: StepRow,
  approval: CommandApproval | null,
): Promise<StepRow> {
  return await trx
    .updateTable("stack_step")
    .set({ approval: approval && JSON.stringify(approval) })
    .where("run", "=", run)
    .where("place", "=", place)
    .returning(stepColumns)
    .executeTakeFirstOrThrow();
}

function toSkipTrouble(writing: {
  readonly step: StepRow;
  readonly steps: readonly StepRow[];
  readonly state: StepState;
}): Trouble | undefined {
  const { step, steps, state } = writing;
  if (state.is !== "skipped") return undefined;
  // Also one that is only just known not to have succeeded.
  const cause = steps.find(({ place, state: is }) => step.after.includes(place) && is !== "succeeded");
  return toTrouble(stackErrors.STACK_STEP_SKIPPED({ name: cause?.name ?? "" }));
}

async function closeStep(
  trx: Transaction<Tables>,
  { id, place, event, error }: ClosedStep & { readonly id: string; readonly place: number },
): Promise<void> {
  const run = await lockRun(trx, id);
  const step = (await readSteps(trx, id)).find((one) => one.place === place);
  if (!run || !step) return;
  const { state } = toRunStep(step);
  const after = nextStepState(state, event);
  if (after === state) return;
  if (event.type === "nothing-there" && run.action !== "plan") await keepOutcome(trx, step, after);
  await trx
    .updateTable("stack_step")
    .set({ state: after.is, ...toTrouble(error) })
    .where("run", "=", id)
    .where("place", "=", place)
    .execute();
  await trx
    .updateTable("stack_run")
    .set({ version: run.version + 1 })
    .where("id", "=", id)
    .execute();
}

async function readSteps(trx: Transaction<Tables>, run: string): Promise<StepRow[]> {
  return await trx.selectFrom("stack_step").select(stepColumns).where("run", "=", run).orderBy("place").execute();
}

export function toTrouble({ code, message, hint }: FairleadError): Trouble {
  return { code, message, hint: hint ?? null };
}
