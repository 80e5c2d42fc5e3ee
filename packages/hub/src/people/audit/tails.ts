// The newest records of all chains in memory: those of this hub as they are kept, those of others while somebody follows.
import { type Clock, repeat } from "@fairlead/kernel";
import type { Bus } from "../../platform/bus/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { AuditStore } from "./store.ts";
import type { Block } from "./types.ts";

export interface Tails {
  /** This hub's own. */
  add(block: Block): void;
  /** The number of the newest record that is known of each chain. */
  readonly heads: ReadonlyMap<string, number>;
  /** Blocks of a chain from this number on; undefined when memory doesn't go back that far. */
  read(chain: string, seq: number): Block[] | undefined;
  /** Resolves when there is more. */
  readonly more: Promise<void>;
  /** Resolves when all chains have been looked at; goes on looking until it is disposed of. */
  watch(): Promise<Disposable>;
}

export interface TailsOptions {
  readonly store: AuditStore;
  readonly chain: string;
  readonly headSeq: number;
  /** Others write, too. */
  readonly isShared: boolean;
  readonly bus?: Pick<Bus, "onHint"> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createTails({ store, chain: own, headSeq, isShared, bus, clock, log }: TailsOptions): Tails {
  const heads = new Map<string, number>([[own, headSeq]]);
  let recent: { readonly chain: string; readonly block: Block }[] = [];
  let recentLines = 0;
  let more = Promise.withResolvers<void>();
  let watchers = 0;
  let looking: Promise<void> | undefined;
  let stop: (() => void) | undefined;

  return {
    heads,
    add: (block) => keep(own, block),
    get more() {
      return more.promise;
    },

    read(chain, seq) {
      const ours = recent.filter((each) => each.chain === chain).map(({ block }) => block);
      const [oldest] = ours;
      if (!oldest || oldest.firstSeq > seq) return undefined;
      return ours.filter((block) => block.lastSeq >= seq);
    },

    async watch() {
      watchers += 1;
      try {
        // After a time in which nobody followed, the other chains' records in memory may have gaps.
        if (watchers === 1) recent = recent.filter(({ chain }) => chain === own);
        await lookAnew();
      } catch (error) {
        watchers -= 1;
        throw error;
      }
      if (isShared) stop ??= lookAgain();
      return {
        [Symbol.dispose]() {
          watchers -= 1;
          if (watchers > 0) return;
          stop?.();
          stop = undefined;
        },
      };
    },
  };

  function keep(chain: string, block: Block): void {
    recent.push({ chain, block });
    heads.set(chain, block.lastSeq);
    recentLines += block.lines.length;
    while (recentLines > keptLines && recent.length > 1) recentLines -= recent.shift()?.block.lines.length ?? 0;
    tell();
  }

  function tell(): void {
    more.resolve();
    more = Promise.withResolvers();
  }

  function lookAgain(): () => void {
    const looks = repeat({
      clock,
      intervalMs: lookEveryMs,
      run: () => (looking ? undefined : lookAnew()),
      onError: (error) => log.warn({ err: error }, "audit records of other hubs can't be read"),
    });
    const hearing = bus?.onHint((hint) => {
      if (hint.kind === "everything" || hint.topic === auditTopic) void lookAnew().catch(() => undefined);
    });
    return () => {
      looks[Symbol.dispose]();
      hearing?.[Symbol.dispose]();
    };
  }

  /** After the one that is under way, which may have looked too early. */
  async function lookAnew(): Promise<void> {
    while (looking) await looking.catch(() => undefined);
    looking = look().finally(() => (looking = undefined));
    await looking;
  }

  async function look(): Promise<void> {
    for (const { chain, head } of await store.readChains()) {
      if (chain !== own) await readOn(chain, head.seq);
    }
  }

  async function readOn(chain: string, headSeq: number): Promise<void> {
    const known = heads.get(chain);
    if (known === headSeq) return;
    // Followers read so many themselves, each at its own pace.
    if (known === undefined || headSeq < known || headSeq - known > keptLines / 4) {
      recent = recent.filter((each) => each.chain !== chain);
      heads.set(chain, headSeq);
      tell();
      return;
    }
    const blocks = await store.chain(chain).read({ seq: known + 1, direction: "newer", limit: blocksAtOnce });
    for (const block of blocks) keep(chain, block);
  }
}

export const auditTopic = "audit";
/** Enough for a busy second; older ones are read from the store. */
const keptLines = 8_192;
const blocksAtOnce = 16;
/** Another hub has its records in the store within a second or so, and a follower here shall see them within two. */
const lookEveryMs = 500;
