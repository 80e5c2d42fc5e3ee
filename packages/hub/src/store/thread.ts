// A database in a thread of its own. PGlite computes without a break, so on the hub's thread each statement would hold
// up every request that goes through the hub. A thread that ends by itself fails what waits for it, and whoever comes
// next opens another; nothing waits for ever, and only what waits keeps the process alive.
import { Worker } from "node:worker_threads";
import type { Answer, Database } from "./database.ts";
import { storeFailed } from "./errors.ts";
import { ownBytes, readReport, type ThreadReply, type ThreadRequest } from "./thread-protocol.ts";

export async function openInThread(path: string): Promise<Database> {
  const database = new ThreadDatabase();
  try {
    await database.open(path);
    return database;
  } catch (error) {
    await database.drop();
    throw error;
  }
}

class ThreadDatabase implements Database {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isAlive = true;
  /** Why it ended by itself. */
  #cause: unknown;

  constructor() {
    this.#worker = new Worker(entry, { name: "store", env: {}, execArgv: [] });
    this.#worker.unref();
    this.#worker.on("message", (reply: ThreadReply) => this.#settle(reply));
    this.#worker.on("messageerror", (error) => this.#giveUp(error));
    this.#worker.on("error", (error) => {
      this.#isAlive = false;
      this.#cause ??= error;
    });
    // Only now is nobody in the folder any more, and another may be opened.
    this.#worker.once("exit", () => this.#failAll());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  async open(path: string): Promise<void> {
    await this.#ask((id) => ({ id, kind: "open", path }), answerWithinMs);
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    const { values, moved } = ownBytes(parameters);
    return await this.#ask((id) => ({ id, kind: "query", sql, parameters: values }), answerWithinMs, moved);
  }

  async close(): Promise<void> {
    if (!this.#isAlive) return await this.drop();
    const closing = this.#ask((id) => ({ id, kind: "close" }), closeWithinMs);
    this.#isAlive = false;
    try {
      await closing;
    } finally {
      await this.drop();
    }
  }

  async drop(): Promise<void> {
    this.#isAlive = false;
    await this.#worker.terminate();
  }

  async #ask(ask: (id: number) => ThreadRequest, withinMs: number, moved: ArrayBuffer[] = []): Promise<Answer> {
    if (!this.#isAlive) throw storeFailed(this.#cause);
    const id = ++this.#lastId;
    this.#worker.postMessage(ask(id), moved);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const late = setTimeout(() => this.#giveUp(new Error(`the database took over ${withinMs} ms`)), withinMs);
    this.#waiting.set(id, { resolve, reject, late: late.unref() });
    this.#worker.ref();
    return await promise;
  }

  #settle(reply: ThreadReply): void {
    const waiting = this.#waiting.get(reply.id);
    if (!waiting) return;
    clearTimeout(waiting.late);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.kind === "done") waiting.resolve(reply.answer);
    else waiting.reject(readReport(reply.report));
  }

  #giveUp(cause: unknown): void {
    this.#cause ??= cause;
    void this.drop();
  }

  #failAll(): void {
    this.#isAlive = false;
    for (const { reject, late } of this.#waiting.values()) {
      clearTimeout(late);
      reject(storeFailed(this.#cause));
    }
    this.#waiting.clear();
  }
}

interface Waiting {
  readonly late: NodeJS.Timeout;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** The built one has another ending. */
const source = new URL("./thread-entry.ts", import.meta.url);
const entry = import.meta.url.endsWith(".ts") ? source : new URL("./thread-entry.js", source);

/** Far over what the largest migration takes; a database that is lost in a loop ends by this. */
const answerWithinMs = 10 * 60_000;
/** What a close doesn't write in time, the next open reads from the log ahead of it. */
const closeWithinMs = 10_000;
