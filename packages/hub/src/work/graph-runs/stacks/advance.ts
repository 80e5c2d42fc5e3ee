// Takes a run a step further: asks for the commands whose turn it is, as far as there is room, and cancels what is to be.
import { stackLimits } from "@fairlead/contract";
import { type Clock, type FairleadError, isFairleadError, toFairleadError } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { AbsentAsker, Access, Principal } from "../../../people/access/index.ts";
import { isStoreFailure, type Tables } from "../../../platform/store/index.ts";
import type { CommandParts, FilledCommandRequest } from "../../commands/index.ts";
import type { Advance } from "../work.ts";
import { stackErrors } from "./errors.ts";
import { keepAsked } from "./resources.ts";
import { type StackRights, verbOf } from "./rights.ts";
import { type RunRow, type StepRow, toRunStep } from "./rows.ts";
import { listReady } from "./settle-steps.ts";
import { lockRun, type StackStore } from "./store.ts";

export function createStackAdvance(ports: {
  readonly db: Kysely<Tables>;
  readonly store: StackStore;
  readonly parts: Pick<CommandParts, "create" | "cancel">;
  readonly access: Pick<Access, "recall" | "refuseAbsent">;
  readonly rights: StackRights;
  readonly clock: Clock;
}): Advance {
  const { db, store, parts, access, rights, clock } = ports;
  /** Runs and clusters whose queues are full, and until when they are left alone. */
  const full = new Map<string, number>();

  return async (id, signal) => {
    const settled = await store.settle(id);
    if (!settled || settled.after.is === "ended") return "done";
    const { run, steps, after } = settled;
    return after.is === "cancelling" ? await cancelAll(run, steps, signal) : await askSome(run, steps, signal);
  };

  async function askSome(run: RunRow, steps: readonly StepRow[], signal: AbortSignal): Promise<"more" | "done"> {
    const turns = listTurns(run, steps);
    if (turns.length === 0) return "done";
    const asker = JSON.parse(run.asker) as AbsentAsker;
    const asking = access.refuseAbsent(asker) ?? access.recall(asker);
    let isMore = turns.length === stepSize;
    for (const step of turns) {
      if (signal.aborted) return "done";
      if ((await ask(run, step, asking)) === "closed") isMore = true;
    }
    return isMore ? "more" : "done";
  }

  function listTurns(run: RunRow, steps: readonly StepRow[]): StepRow[] {
    const now = clock.now();
    for (const [key, untilMs] of full) if (untilMs <= now) full.delete(key);
    const running = steps.filter(({ state }) => state === "running").length;
    const ready = new Set(listReady(steps.map(toRunStep)));
    return steps
      .filter(({ place, cluster }) => ready.has(place) && !full.has(`${run.id} ${cluster}`))
      .slice(0, Math.max(0, Math.min(stepSize, (run.max_parallel ?? stackLimits.steps) - running)));
  }

  /** With the principal who asks, or why nothing is done for them. */
  async function ask(
    run: RunRow,
    step: StepRow,
    principal: Principal | FairleadError | undefined,
  ): Promise<"closed" | "open"> {
    const { id, requester } = run;
    const { place } = step;
    try {
      if (!principal) throw stackErrors.STACK_REQUESTER_GONE({ requester });
      if (isFairleadError(principal)) throw principal;
      rights.require(principal, verbOf(run.action), run.stack);
      await parts.create(principal, await toRequest(run, step), {
        whole: { is: "stack run", id },
        admit: (trx) => admit(trx, id, place),
        note: (trx, command) => note(trx, { run: id, place, command }),
      });
      return "open";
    } catch (thrown) {
      if (isStoreFailure(thrown)) throw thrown;
      const error = toFairleadError(thrown);
      if (error.retryable) {
        full.set(`${id} ${step.cluster}`, clock.now() + fullMs);
        return "open";
      }
      const isGone = stackErrors.is(error, "STACK_CLUSTER_GONE");
      await store.closeStep(id, place, { event: { type: isGone ? "nothing-there" : "refused" }, error });
      return "closed";
    }
  }

  /** Throws STACK_CLUSTER_GONE. */
  async function toRequest(
    run: RunRow,
    { place, cluster, kind, action, approvals }: StepRow,
  ): Promise<FilledCommandRequest> {
    if (action === "destroy" && !(await isSameCluster(db, run.id, place))) throw stackErrors.STACK_CLUSTER_GONE();
    const { spec } = await db
      .selectFrom("stack_step")
      .select("spec")
      .where("run", "=", run.id)
      .where("place", "=", place)
      .executeTakeFirstOrThrow();
    const isPlan = run.action === "plan";
    const asked = { cluster, kind, spec: JSON.parse(spec ?? "{}") as unknown, dryRun: isPlan };
    return { ...asked, ...(isPlan || !approvals ? {} : { approvals }) } as FilledCommandRequest;
  }

  async function cancelAll(run: RunRow, steps: readonly StepRow[], signal: AbortSignal): Promise<"done"> {
    const isForced = run.cancellation === "forced";
    const running = steps.flatMap(({ state, command }) => (state === "running" && command !== null ? [command] : []));
    if (running.length === 0) return "done";
    const rows = await db
      .selectFrom("command")
      .select(["id", "cancellation"])
      .where("id", "in", running)
      .where("finished_at", "is", null)
      .execute();
    for (const { id, cancellation } of rows) {
      if (signal.aborted) return "done";
      const asked = { actor: run.by_whom ?? "hub", reason: "the run of its stack was cancelled" };
      if (cancellation === null) await parts.cancel(id, asked);
      if (isForced && cancellation !== "forced") await parts.cancel(id, asked);
    }
    return "done";
  }
}

/**
 * Holds the run until its command is made: whatever was asked meanwhile counts, and no other hub makes one. Throws
 * STACK_CLUSTER_CHANGED.
 */
async function admit(trx: Transaction<Tables>, id: string, place: number): Promise<boolean> {
  const run = await lockRun(trx, id);
  if (run?.state !== "running") return false;
  const { rows } = await sql<{ running: number; is_waiting: boolean }>`
    select count(*) filter (where state = 'running') as running,
      coalesce(bool_or(place = ${place} and state = 'waiting'), false) as is_waiting
    from stack_step where run = ${id}
  `.execute(trx);
  const { running = 0, is_waiting: isWaiting = false } = rows[0] ?? {};
  if (!isWaiting || running >= (run.max_parallel ?? stackLimits.steps)) return false;
  if (!(await isSameCluster(trx, id, place))) throw stackErrors.STACK_CLUSTER_CHANGED();
  return true;
}

/** The cluster has that name still, and it is the one that was meant. */
async function isSameCluster(db: Kysely<Tables>, run: string, place: number): Promise<boolean> {
  const { rows } = await sql`
    select from stack_step join cluster on cluster.name = stack_step.cluster
      and cluster.incarnation = stack_step.incarnation
    where run = ${run} and place = ${place}
  `.execute(db);
  return rows.length > 0;
}

async function note(
  trx: Transaction<Tables>,
  { run, place, command }: { readonly run: string; readonly place: number; readonly command: string },
): Promise<void> {
  const { action } = await trx
    .updateTable("stack_run")
    .set((set) => ({ version: set("version", "+", 1) }))
    .where("id", "=", run)
    .returning("action")
    .executeTakeFirstOrThrow();
  await trx
    .updateTable("stack_step")
    .set({ state: "running", command })
    .where("run", "=", run)
    .where("place", "=", place)
    .execute();
  if (action !== "plan") await keepAsked(trx, { run, place, command });
}

const stepSize = 16;
const fullMs = 5_000;
