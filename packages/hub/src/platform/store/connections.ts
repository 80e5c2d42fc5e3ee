// The hub's connections to its database, in shares: questions of people can't take the last ones from probes, links and
// audit, however many there are and however long they take.
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { createHistogram, type Histogram, parseExactJson } from "@fairlead/kernel";
import { Kysely, type LogEvent, sql } from "kysely";
import { type ClientBase, type ClientConfig, type CustomTypesConfig, Pool, type PoolConfig, types } from "pg";
import type { ShareReading } from "../telemetry/index.ts";
import { storeErrors } from "./errors.ts";
import { createPoolDialect, type Opening } from "./pool-dialect.ts";
import type { Tables } from "./tables.ts";
import { isConnectionError, isReadOnly, toStoreError } from "./to-store-error.ts";

export interface Connections {
  /** Serves the hub's own work. */
  readonly own: Kysely<Tables>;
  /** Serves people's questions: it has fewer connections and less time for each statement. */
  readonly asked: Kysely<Tables>;
  /** A round trip on a connection that nobody else uses. */
  check(): Promise<void>;
  /** Counts the statements that all shares have answered so far. */
  readonly answered: number;
  readShares(): readonly ShareReading[];
  /** Waits for the hub's own work, then answers everything with STORE_HANDED_OVER. */
  letGo(): Promise<void>;
  /** Breaks all connections off, with the statements under way on them. New ones are opened for the next statements. */
  cut(): void;
  close(): Promise<void>;
}

export interface Shares {
  readonly own: number;
  readonly asked: number;
}

export function openConnections(options: {
  readonly connection: ClientConfig;
  readonly shares: Shares;
  /** Gives the error to throw instead, where the cause is known better than from the driver's. */
  readonly explain?: ((error: unknown) => unknown) | undefined;
  /** Throws why nothing can be asked just now. */
  readonly admit?: (() => void) | undefined;
  /** Called for each new connection before it is used. */
  readonly onConnect?: ((client: ClientBase) => Promise<void>) | undefined;
  /** Settings that hold for each statement. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Nothing outlasts a transaction on a connection: all that is asked is asked in one, which begins with this. */
  readonly opening?: Opening | undefined;
}): Connections {
  const { connection, shares, explain, admit, onConnect, settings = {}, opening } = options;
  const clients = new Set<ClientBase>();
  let answered = 0;
  let state: "open" | "let-go" | "closed" = "open";
  const openShare = (max: number, limitMs: number): Share => {
    const durations = createHistogram(durationBoundsSeconds);
    const limits = { ...settings, ...limitStatements(limitMs) };
    const config: PoolConfig = { ...connection, ...shareDefaults, max, query_timeout: limitMs + silenceMs };
    if (opening === undefined) config.options = Object.entries(limits).map(toOption).join(" ");
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it; its types don't say so
    const pool = new Pool({ ...config, ...(onConnect && { onConnect }) });
    pool.on("error", () => undefined); // an idle connection was cut: the next statement opens another
    // A connection may be cut between two statements of a transaction. Nobody listens then, and the next statement fails.
    pool.on("connect", (client) => {
      client.on("error", () => undefined);
      clients.add(client);
    });
    pool.on("remove", (client) => clients.delete(client));
    const dialect = createPoolDialect({
      pool,
      admit() {
        if (state !== "open") throw storeErrors.STORE_HANDED_OVER();
        admit?.();
      },
      toError: (error) => explain?.(error) ?? toStoreError(error),
      // Read-only may be how the connection began, or the server that it leads to: the next one may be another.
      isLast: (error) => isConnectionError(error) || isReadOnly(error),
      opening: opening && { ...opening, text: `${Object.entries(limits).map(toSetting).join("; ")}; ${opening.text}` },
    });
    const log = ({ queryDurationMillis }: LogEvent): void => {
      answered++;
      durations.observe(queryDurationMillis / 1000);
    };
    return { pool, durations, db: new Kysely<Tables>({ dialect, log }) };
  };
  const own = openShare(shares.own, ownStatementMs);
  const asked = openShare(shares.asked, askedStatementMs);
  const probe = openShare(1, probeStatementMs);

  return {
    own: own.db,
    asked: asked.db,
    async check() {
      if (state === "open") await sql`select 1`.execute(probe.db);
    },
    get answered() {
      return answered;
    },
    readShares: () => Object.entries({ own, asked, probe }).map(([name, share]) => readShare(name, share)),
    async letGo() {
      state = "let-go";
      for (const { pool } of [asked, probe]) void endPool(pool);
      await endPool(own.pool);
    },
    cut() {
      for (const client of clients) breakOff(client);
    },
    async close() {
      const before = state;
      state = "closed";
      if (before === "open") await Promise.all([own, asked, probe].map(({ pool }) => endPool(pool)));
    },
  };
}

interface Share {
  readonly pool: Pool;
  readonly db: Kysely<Tables>;
  readonly durations: Histogram;
}

function readShare(name: string, { pool, durations }: Share): ShareReading {
  const { totalCount, idleCount: idle, waitingCount: waiting } = pool;
  return { name, durations, idle, busy: totalCount - idle, waiting };
}

/** Ends connections as they come back. The pool forgets those who wait for one, so they get one first, and are refused. */
async function endPool(pool: Pool): Promise<void> {
  // An idle connection that breaks meanwhile is no reason to stop waiting.
  while (pool.waitingCount > 0) await once(pool, "release").catch(() => undefined);
  await pool.end();
}

/** A server that doesn't answer doesn't answer a farewell either. */
export function breakOff(client: ClientBase): void {
  const { connection } = client as unknown as { readonly connection?: { readonly stream?: Duplex } };
  connection?.stream?.destroy();
}

/** The server ends a statement at its limit; a server that is silent is given up a little later. */
function limitStatements(limitMs: number): Readonly<Record<string, string>> {
  return { statement_timeout: String(limitMs), idle_in_transaction_session_timeout: String(idleInTransactionMs) };
}

function toOption([name, value]: [string, string]): string {
  return `-c ${name}=${value.replaceAll(" ", "\\ ")}`;
}

function toSetting([name, value]: [string, string]): string {
  return `set local ${name} = '${value}'`;
}

/** Values are read as `pg` reads them, but whole numbers become numbers as far as those are exact, also in JSON. */
const readValue: CustomTypesConfig["getTypeParser"] = (oid, format) => {
  if (oid === types.builtins.INT8) return toNumber;
  return oid === types.builtins.JSONB || oid === types.builtins.JSON ? readJson : types.getTypeParser(oid, format);
};

/** Bodies of objects are what agents sent: the same bound as when they came. */
function readJson(text: string): unknown {
  return parseExactJson(text, { mostValues: mostExactValues });
}

function toNumber(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

const mostExactValues = 100_000;
const shareDefaults: PoolConfig = {
  application_name: "fairlead-hub",
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 60_000,
  keepAlive: true,
  types: { getTypeParser: readValue },
};
/** The shares on a server that the hub runs itself. */
export const ownServerShares: Shares = { own: 8, asked: 6 };
const durationBoundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 30];
const ownStatementMs = 60_000;
const askedStatementMs = 30_000;
const probeStatementMs = 10_000;
const idleInTransactionMs = 120_000;
const silenceMs = 5_000;
