// A subscription as a state: it catches up by reading the store, then follows what everyone reads. Nothing is queued
// for it: without credit, or with a full socket, it falls behind, and later reads from where it was. So a slow client
// costs its cursor.
import type { KindTable, LiveMessage } from "@fairlead/contract";
import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import { isEventKind } from "@fairlead/kube";
import {
  describeTable,
  type FoundObject,
  type FoundRow,
  type ObjectsRoom,
  readOrder,
  type ShownKind,
  toConditions,
  toKindTable,
} from "../objects/index.ts";
import { formatLiveCursor } from "./cursor.ts";
import type { FormatItem } from "./item-text.ts";
import { pageLimits, splitPages } from "./pages.ts";
import type { View } from "./view.ts";

type State =
  /** Sends what there is, page by page. */
  | { readonly type: "snapshot"; readonly after: readonly string[] | undefined }
  /** Reads what changed after `revision`. */
  | { readonly type: "behind" }
  /** Has everything up to `revision`, and is told of what comes. */
  | { readonly type: "level" }
  | { readonly type: "over" };

export interface SubscriptionOptions {
  readonly id: string;
  readonly view: View;
  readonly withObject: boolean;
  readonly credit: number;
  /** Where it begins; undefined: with a snapshot, at `newest`. */
  readonly revision: number | undefined;
  readonly newest: number;
  /** The revision of the newest change that the store has. */
  readonly storeRevision: () => number;
  /** Marks cursors that may resume here. */
  readonly mark: string;
  /** A cursor was given and can't be resumed from. */
  readonly isReset: boolean;
  readonly store: Pick<ReturnType<ObjectsRoom["storeFor"]>, "list" | "listChanged">;
  readonly shownKind: (row: FoundObject) => ShownKind | undefined;
  readonly formatItem: FormatItem;
  readonly now: () => number;
  /** False: the socket is full; `resume` is called when it no longer is. */
  readonly canSend: () => boolean;
  readonly send: (text: string) => void;
  /** Runs reads one after the other for all that share the socket, so that a page at a time is read for it. */
  readonly inTurn: (read: () => Promise<void>) => Promise<void>;
  readonly onError: (error: FairleadError) => void;
}

export class Subscription {
  readonly id: string;
  readonly view: View;
  readonly #options: SubscriptionOptions;
  /** How kinds were shown that were sent: of all clusters, and of those that show them otherwise. */
  readonly #sentTables: Map<string, string> = new Map();
  #state: State;
  #revision: number;
  #credit: number;
  /** Others were told of everything up to here while it wasn't level. */
  #toldRevision = 0;
  #isReading = false;
  #isSyncedSaid = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.id = options.id;
    this.view = options.view;
    this.#credit = options.credit;
    this.#revision = options.revision ?? options.newest;
    this.#state = options.revision === undefined ? { type: "snapshot", after: undefined } : { type: "behind" };
  }

  /** Goes on wherever it is; for the start, for credit and for a socket that has room again. */
  resume(): void {
    if (!this.#isReading) void this.#read();
  }

  addCredit(messages: number): void {
    this.#credit = Math.min(this.#credit + messages, maxCredit);
    this.resume();
  }

  /** Rows that changed between the two revisions, for those that have everything up to the first. */
  follow(rows: readonly FoundRow[], range: { readonly from: number; readonly to: number }): void {
    this.#toldRevision = Math.max(this.#toldRevision, range.to);
    if (this.#state.type !== "level" || range.to <= this.#revision) return;
    if (this.#revision < range.from) {
      this.#state = { type: "behind" };
      return;
    }
    // It may have read on by itself: what it has seen since is newer than these rows.
    const news = rows.filter(({ revision }) => Number(revision) > this.#revision);
    let isTouched = false;
    for (const page of splitPages(news)) {
      const fitting = this.#hasRoom ? this.#fit(page) : [];
      isTouched = this.#sendChanges(fitting) || isTouched;
      this.#revision = Number(fitting.at(-1)?.revision ?? this.#revision);
      if (fitting.length === page.length) continue;
      this.#state = { type: "behind" };
      return;
    }
    this.#revision = range.to;
    // A cursor is worth a message only when something was in the range.
    if (isTouched) this.#saySynced();
  }

  close(): void {
    this.#state = { type: "over" };
  }

  get #hasRoom(): boolean {
    return this.#credit > 0 && this.#options.canSend();
  }

  /** Never rejects. Ends without a pause between its last look at the state and `#isReading`: nobody is told in between. */
  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isToRead) await this.#options.inTurn(() => this.#readPage());
    } catch (error) {
      if (!this.#isOver) this.#options.onError(toFairleadError(error));
    } finally {
      this.#isReading = false;
    }
  }

  get #isToRead(): boolean {
    return this.#hasRoom && (this.#state.type === "snapshot" || this.#state.type === "behind");
  }

  async #readPage(): Promise<void> {
    // Others may have filled the socket before its turn came.
    if (!this.#isToRead) return;
    const state = this.#state;
    if (state.type === "snapshot") await this.#readSnapshot(state.after);
    else await this.#readChanges();
  }

  async #readSnapshot(after: readonly string[] | undefined): Promise<void> {
    const { store, view } = this.#options;
    const { scopes, filter } = view.request;
    const conditions = toConditions(filter);
    const order = isOfEvents(view) ? byTime : byName;
    const { rows, hasMore } = await store.list({ scopes, conditions, order, after, ...pageLimits });
    if (this.#isOver) return;
    const fitting = this.#fit(rows);
    // The scopes are of when it began; rights may have gone since.
    this.#sendItems(fitting.filter((row) => view.judge(row) === "shown"));
    const last = fitting.at(-1);
    const isLast = !hasMore && fitting.length === rows.length;
    // Changes since the snapshot began come next.
    this.#state = last && !isLast ? { type: "snapshot", after: last.position } : { type: "behind" };
  }

  async #readChanges(): Promise<void> {
    const { store, view, storeRevision } = this.#options;
    const kinds = view.kinds && [...view.kinds];
    const newest = storeRevision();
    const upTo = Math.max(newest, this.#revision);
    const { rows, hasMore } = await store.listChanged({ kinds, revision: this.#revision, upTo, ...pageLimits });
    if (this.#isOver) return;
    const fitting = this.#fit(rows);
    this.#sendChanges(fitting);
    this.#revision = Number(fitting.at(-1)?.revision ?? this.#revision);
    if (hasMore || fitting.length < rows.length) return;
    // Changes of other kinds aren't among the rows.
    this.#revision = Math.max(this.#revision, newest);
    if (this.#toldRevision > this.#revision) return;
    this.#state = { type: "level" };
    this.#saySynced();
  }

  get #isOver(): boolean {
    return this.#state.type === "over";
  }

  /** As many of the rows, and one at least, as a message has room for as it leaves: cells may be more than they are read from. */
  #fit(rows: readonly FoundRow[]): readonly FoundRow[] {
    let sizeBytes = 0;
    const end = rows.findIndex((row, index) => {
      if (this.view.judge(row) !== "shown") return false;
      sizeBytes += this.#format(row)?.text.length ?? 0;
      return index > 0 && sizeBytes > pageLimits.maxBytes;
    });
    return end < 0 ? rows : rows.slice(0, end);
  }

  #format(row: FoundObject): { readonly kind: ShownKind; readonly text: string } | undefined {
    const { shownKind, formatItem, withObject } = this.#options;
    const kind = shownKind(row);
    return kind && { kind, text: formatItem(row, kind, withObject) };
  }

  /** True when there was something among them. */
  #sendChanges(rows: readonly FoundObject[]): boolean {
    const shown: FoundObject[] = [];
    const gone: FoundObject[] = [];
    for (const row of rows) {
      const judgement = this.view.judge(row);
      if (judgement === "shown") shown.push(row);
      else if (judgement === "gone") gone.push(row);
    }
    this.#sendItems(shown);
    if (gone.length > 0) {
      this.#credit -= 1;
      this.#send({ type: "removed", id: this.id, items: gone.map(({ cluster, uid }) => ({ cluster, uid })) });
    }
    return shown.length + gone.length > 0;
  }

  #sendItems(rows: readonly FoundObject[]): void {
    const items: string[] = [];
    const tables: KindTable[] = [];
    for (const row of rows) {
      const formatted = this.#format(row);
      if (!formatted) continue;
      tables.push(...this.#newTables(row, formatted.kind));
      items.push(formatted.text);
    }
    if (items.length === 0) return;
    this.#credit -= 1;
    const columns = tables.length === 0 ? "" : `,"tables":${JSON.stringify(tables)}`;
    this.#options.send(`{"type":"items","id":${JSON.stringify(this.id)},"items":[${items.join(",")}]${columns}}`);
  }

  /** The first table of a kind is for all clusters; those that show it otherwise have tables of their own. */
  #newTables({ cluster, kind: key }: FoundObject, kind: ShownKind): KindTable[] {
    const sent = this.#sentTables;
    const place = `${cluster}/${key}`;
    const table = toKindTable(kind);
    const text = describeTable(kind);
    if ((sent.get(place) ?? sent.get(key)) === text) return [];
    const isFirst = !sent.has(key);
    sent.set(isFirst ? key : place, text);
    return [isFirst ? table : { ...table, clusters: [cluster] }];
  }

  #saySynced(): void {
    const { now, isReset, mark } = this.#options;
    const cursor = formatLiveCursor(this.#revision, now(), mark);
    this.#send({ type: "synced", id: this.id, cursor, ...(isReset && !this.#isSyncedSaid && { isReset: true }) });
    this.#isSyncedSaid = true;
  }

  #send(message: LiveMessage): void {
    this.#options.send(JSON.stringify(message));
  }
}

/** Who asks for events alone gets the newest last. */
function isOfEvents({ kinds }: View): boolean {
  return kinds !== undefined && kinds.size > 0 && [...kinds].every(isEventKind);
}

const byName = readOrder("name");
const byTime = readOrder("changed");
const maxCredit = 1_024;
