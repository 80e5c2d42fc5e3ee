// Keeps one connection to a database of somebody else, and with it the hub's claim on the database. It is also what
// tells whether the database is there: while it isn't, everything is refused at once, and this tries again by itself.
import { setTimeout as sleep } from "node:timers/promises";
import { Backoff, type FairleadError, isFairleadError } from "@fairlead/kernel";
import { Client, type ClientBase, type ClientConfig } from "pg";
import { breakOff } from "../connections.ts";
import { databaseErrors } from "./errors.ts";
import { explainDatabaseFault } from "./faults.ts";
import { requireFit } from "./fitness.ts";
import { createDatabaseLock } from "./lock.ts";

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
  /** Called for each further connection before it is used. */
  join(client: ClientBase): Promise<void>;
  explain(error: unknown): unknown;
  /** Resolves when another hub has taken the database. */
  readonly taken: Promise<FairleadError>;
  release(): Promise<void>;
}

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
  const lock = createDatabaseLock({ where, isShared: options.isShared ?? false });
  const explain = (error: unknown): unknown => explainDatabaseFault(where, error);
  const end = new AbortController();
  const taken = Promise.withResolvers<FairleadError>();
  let state: KeeperState = await takeInTime(options, (client) => lock.take(client));
  const watching = watch();

  return {
    admit() {
      if (state.kind === "away" || state.kind === "taken") throw state.error;
    },
    join: (client) => lock.join(client),
    explain,
    taken: taken.promise,
    async release() {
      const before = state;
      become({ kind: "released" });
      end.abort();
      await watching;
      if (before.kind === "held") await before.client.end();
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
      await client.query("select 1");
    } catch (error) {
      breakOff(client);
      become(toState(error));
      onSilent();
    }
  }

  function toState(error: unknown): KeeperState {
    const named = explain(error);
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

async function takeInTime(options: KeeperOptions, claim: Claim): Promise<KeeperState> {
  const { waitMs, onWait, where } = options;
  const startedMs = performance.now();
  for (let isTold = false; ; isTold = true) {
    try {
      return await open(options, claim);
    } catch (error) {
      const named = explainDatabaseFault(where, error) ?? error;
      if (performance.now() - startedMs >= patience(named, waitMs)) throw named;
      if (!isTold && waitMs > 0) onWait?.(named as FairleadError);
    }
    await sleep(waitPollMs);
  }
}

/** A server takes a moment to notice that a killed hub is gone. */
function patience(error: unknown, waitMs: number): number {
  if (databaseErrors.is(error, "STORE_LOCKED")) return Math.max(waitMs, lockGraceMs);
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
const lookMs = 5_000;
const firstRetryMs = 100;
const lastRetryMs = 2_000;
const waitPollMs = 200;
const lockGraceMs = 3_000;
