// Kysely over a pool of `pg`. Ours rather than Kysely's own, because a connection on which a statement failed for reasons
// of the connection must not go back into the pool, and because every error gets the store's codes.
import {
  CompiledQuery,
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

export interface PoolDialectOptions {
  readonly pool: Pool;
  /** Throws when nobody may begin anything any more. Asked again when a connection was waited for. */
  readonly admit: () => void;
  /** Names what went wrong. */
  readonly toError: (error: unknown) => unknown;
  /** True when the connection is good for nothing after this error. */
  readonly isLast: (error: unknown) => boolean;
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
    const level = isolationLevel === undefined ? "" : ` isolation level ${isolationLevel}`;
    await connection.executeQuery(CompiledQuery.raw(`begin${level}`));
  }

  async commitTransaction(connection: PooledConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: PooledConnection): Promise<void> {
    if (connection.isBroken) return;
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    await this.#options.pool.end();
  }
}

class PooledConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #options: PoolDialectOptions;
  isBroken = false;
  /** Cut between two statements of a transaction: the pool listens only to those that it has. */
  readonly #onError = (): void => {
    this.isBroken = true;
  };

  constructor(client: PoolClient, options: PoolDialectOptions) {
    this.#client = client;
    this.#options = options;
    client.on("error", this.#onError);
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { rows, rowCount } = await this.#client.query(sql, [...parameters]);
      return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      this.isBroken ||= this.#options.isLast(error);
      throw this.#options.toError(error);
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
