// A PostgreSQL as the dialect sees it: one session that answers one statement after another.
import type { PGlite } from "@electric-sql/pglite";
import { bytesAsTheyAre } from "./serializers.ts";

export interface Database {
  /** False when it can answer no more: closed, dropped, or ended by itself. */
  readonly isAlive: boolean;
  query(sql: string, parameters: readonly unknown[]): Promise<Answer>;
  /** Answers what was asked before, writes what is to be written, and ends. */
  close(): Promise<void>;
  /** Ends at once. When this is through, another may open the same folder. */
  drop(): Promise<void>;
}

export interface Answer {
  readonly rows: unknown[];
  readonly affectedRows: number;
}

/** In this process, on this very thread: for what keeps nothing. */
export async function openInMemory(image: Blob | undefined): Promise<Database> {
  const { PGlite } = await import("@electric-sql/pglite");
  return new InProcess(await PGlite.create(image ? { loadDataDir: image } : {}));
}

class InProcess implements Database {
  #pglite: PGlite | undefined;

  constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  get isAlive(): boolean {
    return this.#pglite !== undefined;
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    if (!this.#pglite) throw new Error("the database is closed");
    const { rows, affectedRows = 0 } = await this.#pglite.query(sql, [...parameters], bytesAsTheyAre);
    return { rows, affectedRows };
  }

  async close(): Promise<void> {
    const pglite = this.#pglite;
    this.#pglite = undefined;
    await pglite?.close();
  }

  async drop(): Promise<void> {
    this.#pglite = undefined;
  }
}
