// Kysely over a pool of `pg`. Ours rather than Kysely's own, because a connection on which a statement failed for reasons
// of the connection must not go back into the pool, and because every error gets the store's codes.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import type { Pool, PoolClient } from "pg";

/** The beginning of each transaction where nothing on a connection outlasts one. */
export interface Opening {
  /** Statements that go along with BEGIN. */
  readonly text: string;
  /** Takes the rows of the last one. Throws why nothing may be done. */
  readonly verify: (rows: readonly unknown[]) => void;
  /** Gives the error to throw instead, where one of them failed for a reason that is known. */
  readonly explain: (error: unknown) => unknown;
}

export interface PoolDialectOptions {
  readonly pool: Pool;
  /** Throws when nobody may begin anything any more. Asked again when a connection was waited for. */
  readonly admit: () => void;
  /** Names what went wrong. */
  readonly toError: (error: unknown) => unknown;
  /** True when the connection is good for nothing after this error. */
  readonly isLast: (error: unknown) => boolean;
  readonly opening?: Opening | undefined;
}

export function createPoolDialect(options: PoolDialectOptions): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PoolDriver(options),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PoolDriver implements Driver {
  readonly #options: PoolDialectOptions;

  constructor(options: PoolDialectOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PooledConnection> {
    const { pool, admit, toError } = this.#options;
    admit();
    const client = await pool.connect().catch((error: unknown) => {
      throw toError(error);
    });
    try {
      admit();
    } catch (error) {
      client.release();
      throw error;
    }
    return new PooledConnection(client, this.#options);
  }

  async releaseConnection(connection: PooledConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(connection: PooledConnection, { isolationLevel }: TransactionSettings): Promise<void> {
    await connection.begin(isolationLevel);
  }

  async commitTransaction(connection: PooledConnection): Promise<void> {
    await connection.end("commit");
  }

  async rollbackTransaction(connection: PooledConnection): Promise<void> {
    await connection.end("rollback");
  }

  async destroy(): Promise<void> {
    await this.#options.pool.end();
  }
}

interface QueryAnswer {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

class PooledConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #options: PoolDialectOptions;
  isBroken = false;
  #isInTransaction = false;
  /** Cut between two statements of a transaction: the pool listens only to those that it has. */
  readonly #onError = (): void => {
    this.isBroken = true;
  };

  constructor(client: PoolClient, options: PoolDialectOptions) {
    this.#client = client;
    this.#options = options;
    client.on("error", this.#onError);
  }

  async begin(isolationLevel = "read committed"): Promise<void> {
    const { opening } = this.#options;
    this.#isInTransaction = true;
    if (opening === undefined) return void (await this.#query(`begin isolation level ${isolationLevel}`));
    const results = await this.#query(`begin isolation level ${isolationLevel}; ${opening.text}`, opening.explain);
    opening.verify((results as unknown as readonly QueryAnswer[]).at(-1)?.rows ?? []);
  }

  async end(how: "commit" | "rollback"): Promise<void> {
    this.#isInTransaction = false;
    if (how === "commit" || !this.isBroken) await this.#query(how);
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const ask = async (): Promise<QueryResult<Row>> => {
      const { rows, rowCount } = await this.#query({ text: sql, values: [...parameters] });
      return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
    };
    if (this.#options.opening === undefined || this.#isInTransaction) return await ask();
    try {
      await this.begin();
      const result = await ask();
      await this.end("commit");
      return result;
    } catch (error) {
      if (this.#isInTransaction) await this.end("rollback").catch(() => undefined);
      throw error;
    }
  }

  async #query(
    query: string | { readonly text: string; readonly values: unknown[] },
    explain?: (error: unknown) => unknown,
  ): Promise<QueryAnswer> {
    try {
      return await this.#client.query(query as string);
    } catch (error) {
      this.isBroken ||= this.#options.isLast(error);
      throw explain?.(error) ?? this.#options.toError(error);
    }
  }

  streamQuery(): never {
    throw new Error("queries aren't streamed; ask for pages");
  }

  release(): void {
    this.#client.off("error", this.#onError);
    this.#client.release(this.isBroken);
  }
}
