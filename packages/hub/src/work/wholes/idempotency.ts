import { createHash } from "node:crypto";

/** Of all that was asked for under the key, so that another request is told from the same one. */
export interface Idempotency {
  readonly key: string;
  readonly digest: string;
}

export function toIdempotency(key: string | undefined, asked: object): Idempotency | undefined {
  if (key === undefined) return undefined;
  const text = JSON.stringify(Object.entries(asked).toSorted());
  return { key, digest: createHash("sha256").update(text).digest("hex") };
}
