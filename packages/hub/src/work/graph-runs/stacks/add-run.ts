// Adds runs: one of a stack at a time, and so many of each person and of all together.
import { type StackAction, stackLimits } from "@fairlead/contract";
import { createId } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { AbsentAsker } from "../../../people/access/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import type { Idempotency } from "../../commands/index.ts";
import { findEarlierRun } from "../find-earlier.ts";
import type { GraphRunPort } from "../port.ts";
import { toAskedColumns, toTroubleColumns } from "../rows.ts";
import { type ReadResource, resourceKeyOf } from "./declaration.ts";
import { stackErrors } from "./errors.ts";
import type { StackKinds } from "./kinds.ts";
import { type PlannedStep, planSteps } from "./plan-steps.ts";
import { listKnown } from "./resources.ts";
import type { RunRow } from "./rows.ts";
import { requireShare, type StackShares } from "./shares.ts";

export interface NewRun {
  readonly stack: string;
  readonly action: StackAction;
  readonly declared: readonly ReadResource[];
  readonly requester: AbsentAsker;
  readonly maxParallel: number | undefined;
  readonly idempotency: Idempotency | undefined;
}

/** Throws STACK_BUSY, STACK_NOT_FOUND, STACK_TARGET_TAKEN, STACK_TOO_LARGE, STACK_TOO_MANY. */
export async function addRun(
  db: Kysely<Tables>,
  run: NewRun,
  rules: {
    readonly port: GraphRunPort<RunRow>;
    readonly kinds: StackKinds;
    readonly shares: StackShares;
  },
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const { port, kinds, shares } = rules;
  const { requester, idempotency } = run;
  return await db.transaction().execute(async (trx) => {
    await takeTurn(trx);
    const earlier = await findEarlierRun(trx, port, { uid: requester.uid, idempotency });
    if (earlier) return { id: earlier.id, isNew: false };
    await requireStack(trx, run);
    await requireIdle(trx, run.stack);
    const known = await listKnown(trx, run.stack);
    const steps = planSteps({ action: run.action, declared: run.declared, known, kinds });
    if (steps.length > stackLimits.steps)
      throw stackErrors.STACK_TOO_LARGE({
        what: `${steps.length} resources to apply or destroy`,
        limit: stackLimits.steps,
      });
    await requireFree(trx, run);
    const newBytes = run.declared.reduce((sum, { spec }) => sum + Buffer.byteLength(spec), 0);
    await requireShare(trx, { ...run, newBytes }, shares);
    return { id: await insert(trx, run, steps), isNew: true };
  });
}

/** Or two at once would count the same ones. Until the end of the transaction. */
export async function takeTurn(trx: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('fairlead stacks'))`.execute(trx);
}

async function requireStack(trx: Transaction<Tables>, { stack, action, requester }: NewRun): Promise<void> {
  const known = await trx.selectFrom("stack").select("name").where("name", "=", stack).executeTakeFirst();
  if (known) return;
  if (action === "destroy") throw stackErrors.STACK_NOT_FOUND();
  await trx.insertInto("stack").values({ name: stack, owner: requester.name, owner_uid: requester.uid }).execute();
}

async function requireIdle(trx: Transaction<Tables>, stack: string): Promise<void> {
  const busy = await trx
    .selectFrom("stack_run")
    .select(["id", "action"])
    .where("stack", "=", stack)
    .where("finished_at", "is", null)
    .executeTakeFirst();
  if (busy) throw stackErrors.STACK_BUSY(busy);
}

/** It is looked at again when the command is made. */
async function requireFree(trx: Transaction<Tables>, { stack, declared }: NewRun): Promise<void> {
  const { rows } = await sql<{ cluster: string; target: string }>`
    select known.cluster, known.target from stack_resource as known
    join cluster on cluster.name = known.cluster and cluster.incarnation = known.incarnation
    where stack <> ${stack} and known.cluster || ' ' || known.target = any (${declared.map(resourceKeyOf)}::text[])
      and known.cluster = any (${declared.map(({ cluster }) => cluster)}::text[])
      and known.target = any (${declared.map(({ target }) => target)}::text[])
    limit 1
  `.execute(trx);
  const [taken] = rows;
  if (taken) throw stackErrors.STACK_TARGET_TAKEN(taken);
}

async function insert(trx: Transaction<Tables>, run: NewRun, steps: readonly PlannedStep[]): Promise<string> {
  const { stack, action } = run;
  const { id } = await trx
    .insertInto("stack_run")
    .values({ id: createId("srun"), stack, action, state: "running", ...toAskedColumns(run) })
    .returning("id")
    .executeTakeFirstOrThrow();
  for (const step of steps) await insertStep(trx, id, step);
  return id;
}

async function insertStep(trx: Transaction<Tables>, run: string, step: PlannedStep): Promise<void> {
  const { place, name, action, cluster, kind, namespace, target, spec, approvals, dependsOn, after, waitsFor } = step;
  // A destroy is meant for the very cluster in which the resource was applied.
  const incarnation =
    action === "apply"
      ? trx.selectFrom("cluster").select("incarnation").where("name", "=", cluster)
      : trx
          .selectFrom("stack_resource")
          .select("incarnation")
          .where("cluster", "=", cluster)
          .where("target", "=", target);
  await trx
    .insertInto("stack_step")
    .values({
      run,
      place,
      name,
      action,
      cluster,
      incarnation,
      kind,
      namespace,
      target,
      spec,
      spec_bytes: Buffer.byteLength(spec),
      depends_on: [...dependsOn],
      after: [...after],
      approvals: approvals ? JSON.stringify(approvals) : null,
      state: waitsFor === undefined ? "waiting" : "skipped",
      ...(waitsFor === undefined ? {} : toTroubleColumns(stackErrors.STACK_KNOWN_LATER({ name: waitsFor }))),
    })
    .execute();
}
