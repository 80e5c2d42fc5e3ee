// Lists of objects and of their changes, page by page. Every answer says for each of its clusters how old it is; a cluster
// that is away is in the answer with what the hub last had of it.
import type { ChangeQuery, ObjectChangeList, ObjectList, ObjectQuery } from "@fairlead/contract";
import { isEventKind } from "@fairlead/kube";
import { sql } from "kysely";
import type { AgeReader } from "./ages.ts";
import { createAnswer } from "./answer.ts";
import { formatCursor, parseCursor } from "./cursor.ts";
import { notObserved } from "./errors.ts";
import { toConditions } from "./filter.ts";
import { type Order, readOrder } from "./order.ts";
import type { Placed } from "./page.ts";
import type { ObjectRequest, RequestReader } from "./request.ts";
import { toObjectChange, toObjectItem } from "./show.ts";
import { createShownKinds } from "./shown-kinds.ts";
import type { StoreFor } from "./store.ts";
import type { Asking } from "./types.ts";

export interface Lists {
  list(query: ObjectQuery, asking: Asking): Promise<ObjectList>;
  changes(query: ChangeQuery, asking: Asking): Promise<ObjectChangeList>;
}

export function createLists(options: {
  readonly requests: RequestReader;
  readonly storeFor: StoreFor;
  readonly ages: AgeReader;
}): Lists {
  const { requests, storeFor, ages } = options;
  const showKind = createShownKinds();
  return { list, changes };

  async function list(query: ObjectQuery, { principal, nowMs }: Asking): Promise<ObjectList> {
    const request = await requests.read(query, { principal });
    const order = readOrder(query.sort);
    const limit = query.limit ?? defaultLimit;
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, order);
    const { scopes, filter } = request;
    const conditions = toConditions(filter);
    const page = await storeFor(principal, filter).list({
      scopes,
      conditions,
      order,
      after,
      limit,
      maxBytes: maxReadBytes,
    });
    const answer = createAnswer();
    const withObject = query.include === "object";
    let last: Placed | undefined;
    let { hasMore } = page;
    for (const row of page.rows) {
      const info = request.findKind(row.cluster, row.kind);
      const kind = info && showKind(info);
      if (kind && !answer.add(toObjectItem(row, kind, { nowMs, withObject }), kind)) {
        hasMore = true;
        break;
      }
      last = row;
    }
    if (query.kind !== undefined) addTables(answer, request);
    return {
      items: [...answer.items],
      tables: answer.tables(),
      clusters: ages.read(request),
      ...next(order, hasMore ? last : undefined),
    };
  }

  function addTables(answer: ReturnType<typeof createAnswer>, { clusters, kinds, findKind }: ObjectRequest): void {
    for (const { name } of clusters) {
      for (const kind of kinds) {
        const info = findKind(name, kind);
        if (info) answer.addTable(name, showKind(info));
      }
    }
  }

  async function changes(query: ChangeQuery, { principal, nowMs }: Asking): Promise<ObjectChangeList> {
    const request = await requests.read(query, { principal });
    needCopy(request);
    const store = storeFor(principal, request.filter);
    const order = readOrder("-changed");
    const limit = query.limit ?? defaultLimit;
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, order);
    const since = query.since ?? new Date(nowMs - defaultSpanMs).toISOString();
    const conditions = [
      ...toConditions(request.filter),
      sql<boolean>`change <> 'forgotten'`,
      sql<boolean>`changed_at >= ${since}::timestamptz`,
      ...(query.until === undefined ? [] : [sql<boolean>`changed_at < ${query.until}::timestamptz`]),
      // Changes of nothing but a status aren't what people ask for; a change of what is wanted meanwhile is.
      ...(query.status ? [] : [sql<boolean>`(change <> 'status' or spec_changed_at >= ${since}::timestamptz)`]),
    ];
    // There are many of them, and most say what another change says.
    const scopes = request.scopes.filter(({ kind }) => query.kind !== undefined || !isEventKind(kind));
    const page = await store.listReferences({ scopes, conditions, order, after, limit });
    return {
      items: page.rows.map((row) => toObjectChange(row, request.findKind(row.cluster, row.kind))),
      clusters: ages.read(request),
      ...next(order, page.hasMore ? page.rows.at(-1) : undefined),
    };
  }
}

/** Where nothing was ever reported, "nothing has changed" would be a guess. Throws OBJECTS_NOT_OBSERVED. */
function needCopy({ clusters }: Pick<ObjectRequest, "clusters">): void {
  const isBlind = clusters.length > 0 && clusters.every(({ kinds }) => kinds.values().length === 0);
  if (isBlind) throw notObserved(clusters.map(({ name }) => name));
}

/** `last`: of a page that isn't the last one. */
function next(order: Order, last: Pick<Placed, "position"> | undefined): { readonly next?: string } {
  return last ? { next: formatCursor({ order: order.name, values: last.position }) } : {};
}

const defaultLimit = 100;
const defaultSpanMs = 3_600_000;
/** The bound for bodies: the columns of a table are read from them, too. */
const maxReadBytes = 8 * 1024 * 1024;
