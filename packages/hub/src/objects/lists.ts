// Lists of objects and of their changes, page by page. Every answer says for each of its clusters how old it is; a cluster
// that is away is in the answer with what the hub last had of it.
import type { ChangeQuery, ObjectChangeList, ObjectList, ObjectQuery } from "@fairlead/contract";
import { sql } from "kysely";
import type { AgeReader } from "./ages.ts";
import { formatCursor, parseCursor } from "./cursor.ts";
import { toConditions } from "./filter.ts";
import { type Order, readOrder } from "./order.ts";
import type { Page, Placed } from "./page.ts";
import type { RequestReader } from "./request.ts";
import { toKindTable, toObjectChange, toObjectItem, toShownKind } from "./show.ts";
import type { ObjectStore } from "./store.ts";
import type { Asking } from "./types.ts";

export interface Lists {
  list(query: ObjectQuery, asking: Asking): Promise<ObjectList>;
  changes(query: ChangeQuery, asking: Asking): Promise<ObjectChangeList>;
}

export function createLists(options: {
  readonly requests: RequestReader;
  readonly store: Pick<ObjectStore, "list" | "listReferences">;
  readonly ages: AgeReader;
}): Lists {
  const { requests, store, ages } = options;
  return { list, changes };

  async function list(query: ObjectQuery, { principal, nowMs }: Asking): Promise<ObjectList> {
    const request = await requests.read(query, { principal });
    const order = readOrder(query.sort);
    const limit = query.limit ?? defaultLimit;
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, order);
    const { scopes, filter } = request;
    const conditions = toConditions(filter);
    const page = await store.list({ scopes, conditions, order, after, limit, maxBytes: maxPageBytes });
    const shown = new Map(request.kinds.map((info) => [info.kind, toShownKind(info)]));
    const withObject = query.include === "object";
    return {
      items: page.rows.flatMap((row) => {
        const kind = shown.get(row.kind);
        return kind ? toObjectItem(row, kind, { nowMs, withObject }) : [];
      }),
      tables: [...shown.values()].map(toKindTable),
      clusters: ages.read(request),
      ...next(order, page),
    };
  }

  async function changes(query: ChangeQuery, { principal, nowMs }: Asking): Promise<ObjectChangeList> {
    const request = await requests.read(query, { principal });
    const order = readOrder("-changed");
    const limit = query.limit ?? defaultLimit;
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, order);
    const since = query.since ?? new Date(nowMs - defaultSpanMs).toISOString();
    const conditions = [
      ...toConditions(request.filter),
      sql<boolean>`change <> 'forgotten'`,
      sql<boolean>`changed_at >= ${since}::timestamptz`,
      ...(query.until === undefined ? [] : [sql<boolean>`changed_at < ${query.until}::timestamptz`]),
      // What only reports how it is doing isn't what people ask for; that something was wanted meanwhile is.
      ...(query.status ? [] : [sql<boolean>`(change <> 'status' or spec_changed_at >= ${since}::timestamptz)`]),
    ];
    const page = await store.listReferences({ scopes: request.scopes, conditions, order, after, limit });
    const infos = new Map(request.kinds.map((info) => [info.kind, info]));
    return {
      items: page.rows.map((row) => toObjectChange(row, infos.get(row.kind))),
      clusters: ages.read(request),
      ...next(order, page),
    };
  }
}

function next(order: Order, { rows, hasMore }: Page<Pick<Placed, "position">>): { readonly next?: string } {
  const last = hasMore ? rows.at(-1) : undefined;
  return last ? { next: formatCursor({ order: order.name, values: last.position }) } : {};
}

const defaultLimit = 100;
const defaultSpanMs = 3_600_000;
/** Of bodies: the columns of a table are read from them, too. */
const maxPageBytes = 8 * 1024 * 1024;
