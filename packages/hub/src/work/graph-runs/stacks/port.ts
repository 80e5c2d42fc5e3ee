// Runs of stacks as graph runs: their nodes are steps, each of which comes after others that it depends on.
import { stackLimits } from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { FilledCommandRequest } from "../../commands/index.ts";
import type { NodeState } from "../node-state.ts";
import type { GraphRunPort } from "../port.ts";
import { type Trouble, toTroubleColumns } from "../rows.ts";
import type { GraphRunRules } from "../run-state.ts";
import { stackErrors } from "./errors.ts";
import { readSteps } from "./queries.ts";
import { keepAsked, keepOutcome } from "./resources.ts";
import { type StackRights, verbOf } from "./rights.ts";
import { nameOfRun, type RunRow, runColumns, type StepRow, toRunState, toRunStep } from "./rows.ts";
import { countSteps, settleSteps, toTally } from "./settle-steps.ts";

export function createStackPort({ db, rights }: StackPorts): GraphRunPort<RunRow> {
  return {
    is: "stack run",
    tables: {
      run: "stack_run",
      node: "stack_step",
      runOf: "run",
      hasNodeVersions: false,
      isDue: sql<boolean>`true`,
      isPauseOver: sql<boolean>`false`,
    },
    columns: runColumns,
    mostParallel: stackLimits.steps,
    stopsWithRequester: false,
    cancelReason: "the run of its stack was cancelled",
    rulesOf: () => stackRunRules,
    toState: toRunState,
    nameOfNode: ({ is }) => is,
    countRunning: async (of, { id }) => {
      const steps = of.selectFrom("stack_step").where("run", "=", id).where("state", "=", "running");
      const { count } = await steps
        .select((build) => build.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    isTurn: () => sql<boolean>`not exists (
      select from stack_step as earlier
      where earlier.run = node.run and earlier.place = any (node.after) and earlier.state <> 'succeeded'
    )`,

    async openRequests(run, principal) {
      return async ({ place }) => {
        rights.require(principal, verbOf(run.action), run.stack);
        return await readRequest(db, run, place);
      };
    },

    eventOf: (error) => ({ type: stackErrors.is(error, "STACK_CLUSTER_GONE") ? "nothing-there" : "refused" }),

    async settleNodes(trx, { row, state, ended }) {
      const steps = await readSteps(trx, row.id);
      const outcomes = new Map(ended.map(({ command, outcome }) => [command, outcome]));
      const settled = settleSteps(steps.map(toRunStep), { outcomes, isStopping: state.is === "stopping" });
      const changes = steps.flatMap((step) => {
        const { place } = step;
        const { state: before } = toRunStep(step);
        const after = settled.get(place) ?? before;
        if (after.is === before.is) return [];
        const trouble = ended.find((one) => one.place === place)?.trouble ?? toSkipTrouble({ step, steps, after });
        return [{ place, before, after, trouble }];
      });
      return { changes, tally: toTally(countSteps(settled.values())) };
    },

    stateColumns: ({ after }) => ({ state: nameOfRun(after) }),
    countColumns: () => ({}),

    async onNodes(trx, run, changes) {
      if (run.action === "plan") return;
      for (const { place, after } of changes) {
        if (after.is === "running") await keepAsked(trx, { run: run.id, place, command: after.command });
        else await keepOutcome(trx, { run, place, state: after });
      }
    },

    async onEnd(trx, { id }) {
      await trx.updateTable("stack_step").set({ spec: null }).where("run", "=", id).execute();
    },

    errors: {
      requesterGone: ({ requester }) => stackErrors.STACK_REQUESTER_GONE({ requester }),
      clusterChanged: () => stackErrors.STACK_CLUSTER_CHANGED(),
      commandUnsuccessful: (outcome) => stackErrors.STACK_COMMAND_UNSUCCESSFUL({ outcome }),
      idempotencyMismatch: (id) => stackErrors.STACK_IDEMPOTENCY_MISMATCH({ id }),
    },
  };
}

interface StackPorts {
  readonly db: Kysely<Tables>;
  readonly rights: StackRights;
}

export const stackRunRules: GraphRunRules = { stopAfter: undefined, pausesBetween: false, withdraws: "at-once" };

/** Throws STACK_CLUSTER_GONE. */
async function readRequest(db: Kysely<Tables>, run: RunRow, place: number): Promise<FilledCommandRequest> {
  const { cluster, kind, action, approvals, spec } = await db
    .selectFrom("stack_step")
    .select(["cluster", "kind", "action", "approvals", "spec"])
    .where("run", "=", run.id)
    .where("place", "=", place)
    .executeTakeFirstOrThrow();
  if (action === "destroy" && !(await isSameCluster(db, run.id, place))) throw stackErrors.STACK_CLUSTER_GONE();
  const isPlan = run.action === "plan";
  const asked = { cluster, kind, spec: JSON.parse(spec ?? "{}") as unknown, dryRun: isPlan };
  return { ...asked, ...(isPlan || !approvals ? {} : { approvals }) } as FilledCommandRequest;
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

function toSkipTrouble(skipping: {
  readonly step: StepRow;
  readonly steps: readonly StepRow[];
  readonly after: NodeState;
}): Trouble | undefined {
  const { step, steps, after } = skipping;
  if (after.is !== "skipped") return undefined;
  // Also one that is only just known not to have succeeded.
  const cause = steps.find(({ place, state: is }) => step.after.includes(place) && is !== "succeeded");
  return toTroubleColumns(stackErrors.STACK_STEP_SKIPPED({ name: cause?.name ?? "" }));
}
