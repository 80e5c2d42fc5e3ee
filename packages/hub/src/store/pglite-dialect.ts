// Kysely on PGlite. PGlite is one session: whoever holds the connection holds the database, so transactions queue.
// A PANIC (a full disk is the usual cause) leaves an instance that ends its thread when it is touched again, and a trap
// one that never answers. So it is dropped, what still wants it fails, and the next one in the queue opens it anew.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { Database } from "./database.ts";
import { storeFailed, storeHandedOver, toStoreError } from "./errors.ts";

export interface PgliteDialect extends Dialect {
  /** Ends what runs, closes the database and answers everything later with STORE_HANDED_OVER. */
  letGo(): Promise<void>;
}

export function createPgliteDialect(open: () => Promise<Database>): PgliteDialect {
  const driver = new PgliteDriver(open);
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    letGo: () => driver.letGo(),
  };
}

class PgliteDriver implements Driver {
  readonly #open: () => Promise<Database>;
  readonly #waiting: (() => void)[] = [];
  #connection: PgliteConnection | undefined;
  #isTaken = false;
  #isLetGo = false;
  #failedOpen: { readonly error: unknown; readonly atMs: number } | undefined;

  constructor(open: () => Promise<Database>) {
    this.#open = open;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PgliteConnection> {
    await this.#take();
    try {
      if (this.#isLetGo) throw storeHandedOver();
      if (this.#connection?.isAlive) return this.#connection;
      await this.#connection?.close(); // one that ended by itself may not be out of the folder yet
      this.#connection = new PgliteConnection(await this.#openAgain());
      return this.#connection;
    } catch (error) {
      this.#passOn();
      throw toStoreError(error);
    }
  }

  /** Opening costs a good part of a second of a processor, so a failure stands for a while. */
  async #openAgain(): Promise<Database> {
    const failed = this.#failedOpen;
    if (failed && performance.now() - failed.atMs < reopenAfterMs) throw failed.error;
    try {
      return await this.#open();
    } catch (error) {
      this.#failedOpen = { error, atMs: performance.now() };
      throw error;
    }
  }

  async letGo(): Promise<void> {
    await this.#take();
    this.#isLetGo = true;
    await this.destroy().finally(() => {
      this.#connection = undefined;
      this.#passOn();
    });
  }

  async releaseConnection(): Promise<void> {
    this.#passOn();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: PgliteConnection): Promise<void> {
    if (connection.isAlive) await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    await this.#connection?.close();
  }

  async #take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  #passOn(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}

class PgliteConnection implements DatabaseConnection {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get isAlive(): boolean {
    return this.#database.isAlive;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.isAlive) throw storeFailed();
    try {
      const { rows, affectedRows } = await this.#database.query(query.sql, query.parameters);
      return { rows: rows as Row[], numAffectedRows: BigInt(affectedRows) };
    } catch (error) {
      if (isLast(error)) await this.#database.drop();
      throw toStoreError(error);
    }
  }

  streamQuery(): never {
    throw new Error("PGlite can't stream a query");
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}

/** Whether the database is good for nothing after it. A trap of WebAssembly is a RuntimeError, an exit an ExitStatus. */
function isLast(error: unknown): boolean {
  const { severity, name } = error as { severity?: unknown; name?: unknown };
  return severity === "PANIC" || severity === "FATAL" || name === "RuntimeError" || name === "ExitStatus";
}

const reopenAfterMs = 2_000;
