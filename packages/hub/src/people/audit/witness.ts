// A hub names the newest records of the other hubs' chains in its own, so that it shows there when the end of one is cut
// away, or all of it.
import { type Clock, createId, type Repetition, repeat } from "@fairlead/kernel";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { AuditStore } from "./store.ts";
import type { Entry, NamedHead } from "./types.ts";

export interface Witness extends Repetition {
  /** Tells of chains whose records were all deleted because of their age, before the chains are forgotten. */
  tellGone(heads: readonly NamedHead[]): void;
}

/** At the start, and each minute in which others wrote something. */
export function witnessOthers(options: {
  readonly store: AuditStore;
  readonly chain: string;
  readonly hub: string;
  /** Otherwise nobody else writes. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly record: (entry: Entry) => void;
}): Witness {
  const { store, chain: own, hub, isShared, clock, log, record } = options;
  const named = new Map<string, number>();
  let touchedAt = clock.now();
  const witnessing = repeat({
    clock,
    firstMs: 0,
    intervalMs: isShared ? everyMs : dayMs,
    run: look,
    onError: (error) => log.warn({ err: error }, "the audit records of other hubs can't be read"),
  });
  return { ...witnessing, tellGone: tell };

  async function look(): Promise<void> {
    const others = (await store.readChains()).filter(({ chain }) => chain !== own);
    const grown = others.filter(({ chain, actSeq }) => actSeq > (named.get(chain) ?? 0));
    tell(grown.map(({ chain, head }) => ({ chain, ...head })));
    for (const { chain, head } of grown) named.set(chain, head.seq);
    // A hub to which nothing happens for long isn't one that is gone.
    if (clock.now() - touchedAt < touchEveryMs) return;
    await store.chain(own).touch(clock.now());
    touchedAt = clock.now();
  }

  function tell(heads: readonly NamedHead[]): void {
    for (let from = 0; from < heads.length; from += headsAtOnce) {
      const at = clock.now();
      const start = {
        requestId: createId("req"),
        at,
        principal: { kind: "hub", name: hub, uid: "" },
        remoteAddress: "",
        userAgent: "",
        cluster: "",
        method: "",
        path: "",
        isLong: false,
        attributes: { verb: "witness", apiGroup: "", resource: "audit", subresource: "", namespace: "", name: "" },
      };
      record({ at, phase: "end", start, heads: heads.slice(from, from + headsAtOnce) });
    }
  }
}

const everyMs = 60_000;
const dayMs = 24 * 3_600_000;
const touchEveryMs = 3_600_000;
/** Some ten KiB. */
const headsAtOnce = 100;
