// The hub's record of a stack's resources: which one may be where, by which spec. It is written before the command can
// be claimed, so that a resource that failed half-way is still destroyed later.
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { NodeState } from "../node-state.ts";
import { resourceKeyOf } from "./declaration.ts";
import { stackErrors } from "./errors.ts";
import type { KnownResource } from "./plan-steps.ts";
import { type ResourceRow, type RunRow, resourceColumns } from "./rows.ts";

export async function listKnown(db: Kysely<Tables>, stack: string): Promise<readonly KnownResource[]> {
  const rows = await db
    .selectFrom("stack_resource")
    .selectAll()
    .where("stack", "=", stack)
    .orderBy("name")
    .orderBy("asked_at")
    .execute();
  return rows.map(({ name, cluster, kind, namespace, target, spec, depends_on: dependsOn, ...row }) => ({
    name,
    cluster,
    kind,
    namespace,
    target,
    spec,
    dependsOn,
    approvals: row.approvals ?? undefined,
    isThere: row.action === "apply" && row.outcome === "succeeded",
  }));
}

/** Without what may be large. */
export async function listResources(db: Kysely<Tables>, stack: string): Promise<readonly ResourceRow[]> {
  const rows = db.selectFrom("stack_resource").select(resourceColumns).where("stack", "=", stack);
  return await rows.orderBy("name").orderBy("asked_at").execute();
}

export function namesByKey(rows: readonly ResourceRow[]): ReadonlyMap<string, string> {
  return new Map(rows.map((row) => [resourceKeyOf(row), row.name]));
}

/** The run's row is held. Throws STACK_TARGET_TAKEN. */
export async function keepAsked(
  trx: Transaction<Tables>,
  { run, place, command }: { readonly run: string; readonly place: number; readonly command: string },
): Promise<void> {
  const { rows } = await sql<{ target: string; cluster: string; is_own: boolean }>`
    with step as (
      select stack_step.*, stack_run.stack from stack_step join stack_run on stack_run.id = run
      where run = ${run} and place = ${place}
    ), written as (
      insert into stack_resource as known (
        cluster, target, stack, incarnation, name, kind, namespace, spec, spec_bytes, depends_on, action, outcome, command,
        approvals
      )
      select cluster, target, stack, incarnation, name, kind, namespace, spec, spec_bytes, depends_on, action, 'running',
        ${command}, approvals
      from step
      on conflict (cluster, target) do update set
        stack = excluded.stack, incarnation = excluded.incarnation, name = excluded.name, kind = excluded.kind,
        namespace = excluded.namespace, depends_on = excluded.depends_on, action = excluded.action,
        outcome = excluded.outcome, command = excluded.command, asked_at = excluded.asked_at,
        approvals = excluded.approvals,
        spec = case when excluded.action = 'apply' then excluded.spec else known.spec end,
        spec_bytes = case when excluded.action = 'apply' then excluded.spec_bytes else known.spec_bytes end
      where known.stack = excluded.stack or known.incarnation <> excluded.incarnation
      returning 1
    )
    select cluster, target, exists (select from written) as is_own from step
  `.execute(trx);
  const [row] = rows;
  if (row && !row.is_own) throw stackErrors.STACK_TARGET_TAKEN({ target: row.target, cluster: row.cluster });
}

/** Records the outcome of a step. A destroyed resource is forgotten. */
export async function keepOutcome(
  trx: Transaction<Tables>,
  { run, place, state }: { readonly run: RunRow; readonly place: number; readonly state: NodeState },
): Promise<void> {
  if (state.is === "waiting" || state.is === "running" || state.is === "skipped") return;
  const { cluster, target, action } = await trx
    .selectFrom("stack_step")
    .select(["cluster", "target", "action"])
    .where("run", "=", run.id)
    .where("place", "=", place)
    .executeTakeFirstOrThrow();
  if (action === "destroy" && state.is === "succeeded") {
    await trx
      .deleteFrom("stack_resource")
      .where("cluster", "=", cluster)
      .where("target", "=", target)
      .where("stack", "=", run.stack)
      .execute();
    return;
  }
  await trx
    .updateTable("stack_resource")
    .set({ outcome: state.is })
    .where("cluster", "=", cluster)
    .where("target", "=", target)
    .where("command", "=", state.command ?? "")
    .execute();
}
