// Adds rollouts. Limits how many are in progress of each person, and of all together.
import { createId } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { AbsentAsker } from "../../../people/access/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import type { Idempotency, UsedTemplate } from "../../commands/index.ts";
import { toAskedColumns } from "../rows.ts";
import type { Choice } from "./choose.ts";
import { rolloutErrors } from "./errors.ts";
import { type RolloutRow, rolloutColumns } from "./rows.ts";

export interface NewRollout {
  readonly kind: string;
  readonly target: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  /** The request for each command, without its cluster. JSON. */
  readonly request: string;
  readonly requester: AbsentAsker;
  readonly maxParallel: number | undefined;
  readonly stopAfter: number | undefined;
  /** 0: until somebody resumes it; undefined: there are no pauses. */
  readonly pauseSeconds: number | undefined;
  readonly choice: Choice;
  readonly retryOf?: string | undefined;
  readonly template: UsedTemplate | undefined;
  readonly idempotency: Idempotency | undefined;
}

export interface RolloutLimits {
  readonly ofOne: number;
  readonly ofAll: number;
  /** Bytes of one rollout's specs. Each cluster's command stores its own copy. */
  readonly specBytes: number;
}

/** Undefined when another request under the same key was first. Throws ROLLOUT_TOO_MANY, ROLLOUT_TOO_LARGE. */
export async function addRollout(
  db: Kysely<Tables>,
  rollout: NewRollout,
  limits: RolloutLimits = rolloutShares,
): Promise<RolloutRow | undefined> {
  requireFittingSpecs(rollout, limits);
  return await db.transaction().execute(async (trx) => {
    await requireRoom(trx, rollout, limits);
    const row = await insert(trx, rollout);
    if (row) await insertClusters(trx, row.id, rollout.choice);
    return row;
  });
}

function requireFittingSpecs({ request, choice }: NewRollout, { specBytes }: RolloutLimits): void {
  const count = choice.placed.length;
  const sizeBytes = Buffer.byteLength(request) * count;
  if (sizeBytes <= specBytes) return;
  const [sizeMib, limitMib] = [sizeBytes, specBytes].map((bytes) => Math.ceil(bytes / mebibyte));
  throw rolloutErrors.ROLLOUT_TOO_LARGE({ count, sizeMib: sizeMib ?? 0, limitMib: limitMib ?? 0 });
}

async function requireRoom(trx: Transaction<Tables>, { requester }: NewRollout, limits: RolloutLimits): Promise<void> {
  // In turn, or two at once would count the same ones.
  await sql`select pg_advisory_xact_lock(hashtext('fairlead rollouts'))`.execute(trx);
  const { rows } = await sql<{ count: number; own: number }>`
    select count(*) as count, count(*) filter (where requester_uid = ${requester.uid} and requester = ${requester.name}) as own
    from rollout where finished_at is null
  `.execute(trx);
  const { count = 0, own = 0 } = rows[0] ?? {};
  if (own >= limits.ofOne) throw rolloutErrors.ROLLOUT_TOO_MANY({ who: requester.name, limit: limits.ofOne });
  if (count >= limits.ofAll) throw rolloutErrors.ROLLOUT_TOO_MANY({ who: "all users together", limit: limits.ofAll });
}

async function insert(trx: Transaction<Tables>, rollout: NewRollout): Promise<RolloutRow | undefined> {
  const { choice, request, template } = rollout;
  const { placed, unusable } = choice;
  return await trx
    .insertInto("rollout")
    .values({
      id: createId("rol"),
      kind: rollout.kind,
      target: rollout.target,
      namespace: rollout.namespace,
      dry_run: rollout.dryRun,
      request,
      request_bytes: Buffer.byteLength(request),
      ...toAskedColumns(rollout),
      stop_after: rollout.stopAfter ?? null,
      template: template?.name ?? null,
      template_revision: template?.revision ?? null,
      pause_seconds: rollout.pauseSeconds ?? null,
      waves: placed.at(-1)?.wave ?? 1,
      state: "running",
      retry_of: rollout.retryOf ?? null,
      clusters: placed.length + unusable.length,
      waiting: placed.length,
      skipped: unusable.length,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(rolloutColumns)
    .executeTakeFirst();
}

async function insertClusters(trx: Transaction<Tables>, id: string, { placed, unusable }: Choice): Promise<void> {
  const parts = [
    ...placed.map(({ cluster, wave }) => ({ cluster, wave, error: undefined })),
    ...unusable.map(({ cluster, error }) => ({ cluster, wave: 0, error })),
  ];
  const column = <Value>(read: (part: (typeof parts)[number]) => Value): Value[] => parts.map(read);
  await sql`
    insert into rollout_cluster (rollout, place, cluster, incarnation, wave, state, code, message, hint)
    select ${id}, part.place, part.name, coalesce(cluster.incarnation, gen_random_uuid()), part.wave,
      case when part.wave = 0 then 'skipped' else 'waiting' end, part.code, part.message, part.hint
    from unnest(
      ${column(({ cluster }) => cluster)}::text[], ${column(({ wave }) => wave)}::integer[],
      ${column(({ error }) => error?.code ?? null)}::text[], ${column(({ error }) => error?.message ?? null)}::text[],
      ${column(({ error }) => error?.hint ?? null)}::text[]
    ) with ordinality as part (name, wave, code, message, hint, place)
    left join cluster on cluster.name = part.name
  `.execute(trx);
}

const mebibyte = 1024 ** 2;
const rolloutShares: RolloutLimits = { ofOne: 20, ofAll: 200, specBytes: 1024 * mebibyte };
