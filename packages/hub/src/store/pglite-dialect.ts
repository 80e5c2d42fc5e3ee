// Kysely on PGlite. PGlite is one session: whoever holds the connection holds the database, so transactions queue.
import type { PGlite } from "@electric-sql/pglite";
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
import { toStoreError } from "./errors.ts";

export function createPgliteDialect(pglite: PGlite): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(pglite),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function createDriver(pglite: PGlite): Driver {
  const connection = createConnection(pglite);
  const waiting: (() => void)[] = [];
  let isTaken = false;

  return {
    async init() {},
    async acquireConnection() {
      if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve));
      isTaken = true;
      return connection;
    },
    async releaseConnection() {
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    },
    async beginTransaction(on) {
      await on.executeQuery(CompiledQuery.raw("begin"));
    },
    async commitTransaction(on) {
      await on.executeQuery(CompiledQuery.raw("commit"));
    },
    async rollbackTransaction(on) {
      await on.executeQuery(CompiledQuery.raw("rollback"));
    },
    async destroy() {
      await pglite.close();
    },
  };
}

function createConnection(pglite: PGlite): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const result = await pglite.query<Row>(query.sql, [...query.parameters]).catch((error: unknown) => {
        throw toStoreError(error);
      });
      return { rows: result.rows, numAffectedRows: BigInt(result.affectedRows ?? 0) };
    },
    // biome-ignore lint/correctness/useYield: PGlite has no cursors, and nothing here reads that much.
    async *streamQuery() {
      throw new Error("PGlite can't stream a query");
    },
  };
}
