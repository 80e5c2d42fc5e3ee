// The rows of objects, and what is read from them.
import type { GitopsKind, GitopsObject } from "@fairlead/protocol";
import { type Kysely, sql } from "kysely";
import type { GitopsObjectTable, Tables } from "../../../platform/store/index.ts";
import type { HubObjectName } from "../types.ts";
import type { BodySeal } from "./body-seal.ts";
import type { StoredObject } from "./types.ts";

export type ObjectRow = Omit<GitopsObjectTable, "size_bytes">;

export const objectsTopic = "gitops-objects";

export async function findRow(
  db: Kysely<Tables>,
  { kind, namespace, name }: HubObjectName,
): Promise<ObjectRow | undefined> {
  const { rows } = await sql<ObjectRow>`
    select kind, namespace, name, uid, revision::text as revision, body from gitops_object
    where namespace = ${namespace} and kind = ${kind} and name = ${name}
  `.execute(db);
  return rows[0];
}

/** All of a kind, and the revision up to which that is all: both of one moment. */
export async function listRows(
  db: Kysely<Tables>,
  { kind, namespace }: { readonly kind: GitopsKind; readonly namespace: string | undefined },
): Promise<{ readonly rows: readonly ObjectRow[]; readonly revision: bigint }> {
  const { rows } = await sql<ObjectRow | Nothing>`
    select found.*, place.place from (${placeSql}) as place left join (
      select kind, namespace, name, uid, revision::text as revision, body from gitops_object
      where kind = ${kind} and (${namespace ?? null}::text is null or namespace = ${namespace ?? null})
    ) as found on true order by found.namespace, found.name
  `.execute(db);
  return { rows: rows.filter(isRow), revision: readPlace(rows) };
}

/** Lists the changes after a revision, oldest first. A row without a body stands for an object that is gone. */
export async function listChangedRows(
  db: Kysely<Tables>,
  options: {
    readonly since: bigint;
    /** Undefined: in all. */
    readonly namespaces: readonly string[] | undefined;
    readonly limit: number;
  },
): Promise<{ readonly rows: readonly ChangedRow[]; readonly revision: bigint }> {
  const { since, namespaces, limit } = options;
  const condition = sql`revision > ${String(since)}::bigint
    and (${namespaces ?? null}::text[] is null or namespace = any(${namespaces ?? null}))`;
  const { rows } = await sql<ChangedRow | Nothing>`
    select changed.*, place.place from (${placeSql}) as place left join (
      select kind, namespace, name, uid, revision::text as revision, body, revision as number
      from gitops_object where ${condition}
      union all
      select kind, namespace, name, uid, revision::text, null, revision from gitops_object_gone where ${condition}
      order by number limit ${limit}
    ) as changed on true order by changed.number
  `.execute(db);
  const found = rows.filter(isRow);
  const last = found.at(-1);
  return { rows: found, revision: found.length === limit && last ? BigInt(last.revision) : readPlace(rows) };
}

/** Throws what `BodySeal.open` throws. */
export function toStoredObject(row: ObjectRow, seal: BodySeal): StoredObject {
  const { kind, namespace, name, uid, revision, body } = row;
  const parsed = JSON.parse(seal.open(body, row)) as GitopsObject;
  const object = { ...parsed, metadata: { ...parsed.metadata, resourceVersion: revision } };
  return { kind, namespace, name, uid, revision: BigInt(revision), object };
}

function isRow<Row extends { readonly uid: string }>(row: Row | Nothing): row is Row {
  return row.uid !== null;
}

function readPlace(rows: readonly object[]): bigint {
  const [first] = rows as readonly { readonly place: string | null }[];
  return BigInt(first?.place ?? 0);
}

const placeSql = sql`select (select value::text from change_counter where topic = ${objectsTopic}) as place`;

interface Nothing {
  readonly uid: null;
}

export type ChangedRow = Omit<ObjectRow, "body"> & { readonly body: string | null };
