// Writes down for the other hubs which links this one holds. Changes of a moment go together, and only what differs from
// what was written last.
import type { Clock } from "@fairlead/kernel";
import type { Link } from "@fairlead/protocol";
import { isStoreFailure, writeApart } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { LinkRegistry } from "../links/index.ts";
import { formatFacts } from "./announced-link.ts";
import { hubsErrors } from "./errors.ts";
import { hashSession } from "./pass-on.ts";
import type { AnnouncedRow, HubStore } from "./store.ts";

export interface Announcer extends AsyncDisposable {
  /** The others know none of the links. */
  announceAll(): void;
}

export function createAnnouncer(options: {
  readonly hub: string;
  readonly registry: Pick<LinkRegistry, "list" | "own" | "onChanged">;
  readonly store: Pick<HubStore, "announce">;
  /** The session by which a link can be gone on with. */
  readonly sessionOf: (link: Link) => string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}): Announcer {
  const { hub, registry, store, sessionOf, clock, log } = options;
  /** By link, as the others read them. Another map once they know none. */
  let written = new Map<string, AnnouncedRow>();
  const changed = new Set<string>();
  let isOver = false;
  let writing: Promise<void> | undefined;
  let cancel = (): void => undefined;
  const stopListening = registry.onChanged(note);

  return {
    announceAll() {
      written = new Map();
      for (const { cluster } of registry.list()) note(cluster);
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      stopListening();
      cancel();
      await writing;
    },
  };

  function note(cluster: string): void {
    if (changed.size === 0) schedule(gatherMs);
    changed.add(cluster);
  }

  function schedule(waitMs: number): void {
    if (isOver || writing) return;
    cancel();
    cancel = clock.after(waitMs, () => {
      writing = write()
        .then(
          () => gatherMs,
          (error: unknown) => {
            if (!isStoreFailure(error) && !hubsErrors.is(error, "HUB_FORGOTTEN"))
              log.error({ err: error }, "can't tell the other hubs of this one's links");
            return againMs;
          },
        )
        .then((nextMs) => {
          writing = undefined;
          if (changed.size > 0) schedule(nextMs);
        });
    });
  }

  async function write(): Promise<void> {
    const known = written;
    const clusters = [...changed].slice(0, mostAtOnce);
    for (const cluster of clusters) changed.delete(cluster);
    const asked = new Set(clusters);
    const there = clusters.flatMap((cluster) => registry.own(cluster)).filter(({ hello }) => hello !== undefined);
    const rows = there.map((record) => {
      const session = sessionOf(record.link);
      const facts = formatFacts(record, session === undefined ? undefined : hashSession(session));
      return { id: record.id, cluster: record.cluster, facts };
    });
    const news = rows.filter(({ id, facts }) => known.get(id)?.facts !== facts);
    const ids = new Set(rows.map(({ id }) => id));
    const ended = [...known.values()].filter(({ id, cluster }) => asked.has(cluster) && !ids.has(id));
    if (news.length === 0 && ended.length === 0) return;
    try {
      await announce(news, ended);
    } catch (error) {
      for (const cluster of clusters) changed.add(cluster);
      throw error;
    }
    for (const row of news) known.set(row.id, row);
    for (const { id } of ended) known.delete(id);
  }

  /** What the database can't hold of one link must not keep those of other clusters from it. */
  async function announce(links: readonly AnnouncedRow[], ended: readonly AnnouncedRow[]): Promise<void> {
    const gone = new Set(ended);
    await writeApart({
      rows: [...ended, ...links],
      write: (rows) =>
        store.announce({
          hub,
          links: rows.filter((row) => !gone.has(row)),
          endedIds: rows.filter((row) => gone.has(row)).map(({ id }) => id),
        }),
      mustThrow: (error) => hubsErrors.is(error, "HUB_FORGOTTEN"),
      onRefused: ({ id, cluster }, error) =>
        log.warn({ err: error, linkId: id, cluster }, "other hubs can't be told of a link"),
    });
  }
}

const gatherMs = 50;
/** After the store failed, or this hub was taken for dead. */
const againMs = 1_000;
const mostAtOnce = 500;
