// What the hub's thread and the database's say to each other. Values go as structured clones, which keep dates, bytes,
// big integers and JSON as PGlite takes and gives them.
import type { Answer } from "./database.ts";

export type ThreadRequest = { readonly id: number } & (
  | { readonly kind: "open"; readonly path: string }
  | { readonly kind: "query"; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: "close" }
);

export type ThreadReply = { readonly id: number } & (
  | { readonly kind: "done"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly report: ErrorReport }
);

/** An error as data: a clone would lose its own fields, and its name where that isn't one of JavaScript's. */
export interface ErrorReport {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** `code`, `severity`, `constraint`, `detail` ... as the database or the operating system gave them. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/** Leaves out what isn't plain: PGlite hangs a statement's parameters on its error, and those may be secrets. */
export function reportError(error: unknown): ErrorReport {
  if (typeof error !== "object" || error === null) {
    return { name: "Error", message: String(error), stack: undefined, fields: {} };
  }
  const { name, message, stack } = error as Partial<Error>;
  const fields: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(error)) {
    if (own.has(key)) continue;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") fields[key] = value;
  }
  return { name: String(name ?? "Error"), message: String(message ?? error), stack, fields };
}

export function readReport({ name, message, stack, fields }: ErrorReport): Error {
  const error = new Error(message);
  if (name !== error.name) Object.defineProperty(error, "name", { value: name, configurable: true, writable: true });
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, fields);
}

/** Copies out of larger buffers (a clone of a view takes all that is behind it) so that the copies can be moved. */
export function ownBytes(values: readonly unknown[]): { readonly values: unknown[]; readonly moved: ArrayBuffer[] } {
  const moved: ArrayBuffer[] = [];
  const owned = values.map((value) => {
    if (!(value instanceof Uint8Array)) return value;
    const copy = new Uint8Array(value);
    moved.push(copy.buffer);
    return copy;
  });
  return { values: owned, moved };
}

/** The buffers of an answer's bytes, which nobody else has: PGlite makes one for each value. */
export function listBuffers(rows: readonly unknown[]): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  for (const row of rows) {
    for (const value of Object.values(row as Record<string, unknown>)) {
      if (value instanceof Uint8Array && value.buffer instanceof ArrayBuffer) {
        if (value.byteLength === value.buffer.byteLength) found.add(value.buffer);
      }
    }
  }
  return [...found];
}

const own = new Set(["name", "message", "stack"]);
