// Keeps one connection to a database of somebody else, and with it the hub's claim on the database. It is also what
// tells whether the database is there: while it isn't, everything is refused at once, and this tries again by itself.
import { setTimeout as sleep } from "node:timers/promises";
import { Backoff, type FairleadError, isFairleadError } from "@fairlead/kernel";
import { Client, type ClientBase, type ClientConfig } from "pg";
import { breakOff } from "../connections.ts";
import { databaseErrors } from "./errors.ts";
import { explainDatabaseFault } from "./faults.ts";
import { requireFit } from "./fitness.ts";
import { leased } from "./holder.ts";
import { createDatabaseLock, type DatabaseLock } from "./lock.ts";
import { createPooledLock, leaseMs, type PooledLock } from "./pooled-lock.ts";
import { isPooled } from "./pooler.ts";

export type KeeperState =
  | { readonly kind: "held"; readonly client: Client; readonly ended: Promise<unknown> }
  /** Since the connection broke. */
  | { readonly kind: "away"; readonly error: FairleadError }
  /** Another hub has the database: this one's knowledge is out of date for good. */
  | { readonly kind: "taken"; readonly error: FairleadError }
  | { readonly kind: "released" };

export interface DatabaseKeeper {
  /** Throws why the database can't be used. */
  admit(): void;
  readonly way: DatabaseWay;
  /** Resolves when another hub has taken the database. */
  readonly taken: Promise<FairleadError>;
  release(): Promise<void>;
}

/** How further connections are held to the claim. */
export type DatabaseWay =
  /** `join` is called for each before it is used. */
  | { readonly kind: "direct"; readonly join: (client: ClientBase) => Promise<void> }
  | { readonly kind: "pooled"; readonly opening: PooledLock["opening"] };

export interface KeeperOptions {
  readonly connection: ClientConfig;
  /** The address without user and password. */
  readonly where: string;
  readonly isShared?: boolean | undefined;
  /** The wait at the start for a database that is away or another hub's. */
  readonly waitMs: number;
  readonly onWait?: ((reason: FairleadError) => void) | undefined;
  readonly onChange?: ((state: KeeperState) => void) | undefined;
  /** Called when the database is there and says nothing. */
  readonly onSilent: () => void;
}

export async function keepDatabase(options: KeeperOptions): Promise<DatabaseKeeper> {
  const { where, onChange, onSilent } = options;
  const end = new AbortController();
  const taken = Promise.withResolvers<FairleadError>();
  const locks = createLocks(options);
  const first = await takeInTime(options, locks);
  const { lock } = first;
  let state: KeeperState = first.state;
  const watching = watch();

  return {
    admit() {
      if (state.kind === "away" || state.kind === "taken") throw state.error;
    },
    way:
      lock === locks.pooled
        ? { kind: "pooled", opening: locks.pooled.opening }
        : { kind: "direct", join: (client) => lock.join(client) },
    taken: taken.promise,
    async release() {
      const before = state;
      become({ kind: "released" });
      end.abort();
      await watching;
      if (before.kind !== "held") return;
      await lock.release(before.client);
      await before.client.end();
    },
  };

  function become(next: KeeperState): void {
    if (state.kind === "released" || state.kind === "taken") return;
    state = next;
    onChange?.(state);
    if (state.kind === "taken") taken.resolve(state.error);
  }

  async function watch(): Promise<void> {
    const backoff = new Backoff({ baseMs: firstRetryMs, maxMs: lastRetryMs });
    while (!end.signal.aborted) {
      switch (state.kind) {
        case "held":
          await watchHeld(state);
          break;
        case "away":
          await pause(backoff.nextMs());
          if (end.signal.aborted) return;
          become(await open(options, (client) => lock.join(client)).catch(toState));
          break;
        case "taken":
        case "released":
          return;
      }
    }
  }

  /** Returns when the connection is gone, or after the next look. */
  async function watchHeld({ client, ended }: Extract<KeeperState, { kind: "held" }>): Promise<void> {
    const isOver = await Promise.race([ended.then(() => true), pause(lookMs).then(() => false)]);
    if (end.signal.aborted) return;
    if (isOver)
      return become({ kind: "away", error: databaseErrors.STORE_DOWN({ where, reason: "the connection ended" }) });
    try {
      await lock.look(client);
    } catch (error) {
      breakOff(client);
      become(toState(error));
      onSilent();
    }
  }

  function toState(error: unknown): KeeperState {
    const named = explainDatabaseFault(where, error);
    if (databaseErrors.is(named, "STORE_LOCKED")) return { kind: "taken", error: named };
    const reason = String(error);
    return {
      kind: "away",
      error: isFairleadError(named) ? named : databaseErrors.STORE_DOWN({ where, reason, cause: error }),
    };
  }

  async function pause(delayMs: number): Promise<void> {
    await sleep(delayMs, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
  }
}

type Claim = (client: ClientBase) => Promise<void>;

interface Locks {
  readonly direct: DatabaseLock;
  readonly pooled: PooledLock;
}

function createLocks({ where, isShared = false }: KeeperOptions): Locks {
  return { direct: createDatabaseLock({ where, isShared }), pooled: createPooledLock({ where, isShared }) };
}

/** The first connection says which lock it is. */
async function takeInTime(
  options: KeeperOptions,
  locks: Locks,
): Promise<{ readonly lock: DatabaseLock; readonly state: KeeperState }> {
  const { waitMs, onWait, where } = options;
  const startedMs = performance.now();
  let lock: DatabaseLock = locks.direct;
  const take: Claim = async (client) => {
    lock = (await isPooled(client)) ? locks.pooled : locks.direct;
    await lock.take(client);
  };
  for (let isTold = false; ; isTold = true) {
    try {
      const state = await open(options, take);
      return { lock, state };
    } catch (error) {
      const named = explainDatabaseFault(where, error) ?? error;
      if (performance.now() - startedMs >= patience(named, waitMs)) throw named;
      if (!isTold && waitMs > 0) onWait?.(named as FairleadError);
    }
    await sleep(waitPollMs);
  }
}

/** A server takes a moment to notice that a killed hub is gone, and a lease of such a hub has to end. */
function patience(error: unknown, waitMs: number): number {
  if (databaseErrors.is(error, "STORE_LOCKED"))
    return Math.max(waitMs, error.cause === leased ? leaseMs + lookMs : lockGraceMs);
  return databaseErrors.is(error, "STORE_DOWN") ? waitMs : 0;
}

async function open({ connection, where }: KeeperOptions, claim: Claim): Promise<KeeperState> {
  const client = new Client({ ...connection, connectionTimeoutMillis: connectMs, query_timeout: answerMs });
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  client.on("error", resolve).on("end", () => resolve(undefined));
  try {
    await client.connect();
    await requireFit(client, where);
    await claim(client);
    return { kind: "held", client, ended };
  } catch (error) {
    breakOff(client);
    throw error;
  }
}

const connectMs = 10_000;
const answerMs = 10_000;
const lookMs = 3_000;
const firstRetryMs = 100;
const lastRetryMs = 2_000;
const waitPollMs = 200;
const lockGraceMs = 3_000;
