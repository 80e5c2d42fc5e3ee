// Makes a write inside its transaction, after the counter was raised. A transaction that has raised the counter is
// alone, so everything that it reads here still holds when it commits.
import type { GitopsKind } from "@fairlead/protocol";
import { sql, type Transaction } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { HubWriteResult, OwnershipFence } from "../types.ts";
import { objectsTopic } from "./rows.ts";
import type { StoreLimits } from "./types.ts";

export interface WriteCommit {
  readonly kind: GitopsKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The revision that it was decided by. Undefined: there was none. */
  readonly before: string | undefined;
  /** Undefined: it goes. */
  readonly body: { readonly text: string; readonly sizeBytes: number } | undefined;
  readonly fence: OwnershipFence | undefined;
  readonly limits: StoreLimits;
  readonly at: Date;
}

export type CommitResult =
  | { readonly is: "written"; readonly revision: string }
  | Exclude<HubWriteResult, { readonly is: "written" }>;

export async function commitWrite(trx: Transaction<Tables>, write: WriteCommit): Promise<CommitResult> {
  const { namespace, body, fence, limits } = write;
  if (fence !== undefined && !(await holdOwnership(trx, fence))) return { is: "fenced" };
  const { revision, objects, bytes, own } = await readPlace(trx, write);
  const { sizeBytes } = body ?? { sizeBytes: 0 };
  if (sizeBytes > Number(own ?? 0)) {
    const isOver = bytes - Number(own ?? 0) + sizeBytes > limits.maxBytes;
    if (isOver || (own === null && objects >= limits.maxObjects)) return overQuota(namespace, limits);
  }
  const changed = body === undefined ? await deleteRow(trx, write, revision) : await putRow(trx, write, revision);
  return changed === 0n ? { is: "conflict" } : { is: "written", revision };
}

/** Nobody can take the lease until the transaction has ended. */
async function holdOwnership(trx: Transaction<Tables>, { cluster, term }: OwnershipFence): Promise<boolean> {
  const { rows } = await sql`
    select from lease where name = ${`gitops/${cluster}`} and fence = ${String(term)}::bigint for share
  `.execute(trx);
  return rows.length > 0;
}

async function readPlace(
  trx: Transaction<Tables>,
  { kind, namespace, name }: WriteCommit,
): Promise<{ revision: string; objects: number; bytes: number; own: number | null }> {
  const { rows } = await sql<{ revision: string; objects: number; bytes: number; own: number | null }>`
    select value::text as revision, used.* from change_counter, (
      select count(*)::int as objects, coalesce(sum(size_bytes), 0)::float8 as bytes,
        max(size_bytes) filter (where kind = ${kind} and name = ${name}) as own
      from gitops_object where namespace = ${namespace}
    ) as used where topic = ${objectsTopic}
  `.execute(trx);
  const [place] = rows;
  if (place === undefined) throw new Error("the counter was raised and isn't there");
  return place;
}

async function putRow(trx: Transaction<Tables>, write: WriteCommit, revision: string): Promise<bigint> {
  const { kind, namespace, name, uid, before, body } = write;
  const { text = "", sizeBytes = 0 } = body ?? {};
  const { numAffectedRows } = await (before === undefined
    ? sql`insert into gitops_object (kind, namespace, name, uid, revision, body, size_bytes)
        values (${kind}, ${namespace}, ${name}, ${uid}, ${revision}::bigint, ${text}, ${sizeBytes})
        on conflict do nothing`
    : sql`update gitops_object set revision = ${revision}::bigint, body = ${text}, size_bytes = ${sizeBytes}
        where namespace = ${namespace} and kind = ${kind} and name = ${name} and uid = ${uid}
          and revision = ${before}::bigint`
  ).execute(trx);
  return numAffectedRows ?? 0n;
}

async function deleteRow(trx: Transaction<Tables>, write: WriteCommit, revision: string): Promise<bigint> {
  const { kind, namespace, name, uid, before, at } = write;
  const { numAffectedRows } = await sql`
    with gone as (
      delete from gitops_object where namespace = ${namespace} and kind = ${kind} and name = ${name} and uid = ${uid}
        and revision = ${before ?? null}::bigint returning uid
    ), old as (delete from gitops_object_gone where gone_at < ${new Date(at.getTime() - keepGoneMs)})
    insert into gitops_object_gone (uid, kind, namespace, name, revision, gone_at)
    select uid, ${kind}, ${namespace}, ${name}, ${revision}::bigint, ${at} from gone
  `.execute(trx);
  return numAffectedRows ?? 0n;
}

function overQuota(namespace: string, { maxObjects, maxBytes }: StoreLimits): CommitResult {
  const message = `The hub keeps at most ${maxObjects} objects and ${maxBytes} bytes in the namespace ${namespace}.`;
  return { is: "refused", refusal: { reason: "quota", message, retryAfterMs: 0 } };
}

/** A feed that hasn't read for half of this time reads everything again. */
export const keepGoneMs: number = 60 * 60_000;
