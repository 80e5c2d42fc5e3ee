// A request's body on its way to the API server. Most requests have none; small ones of known length are gathered
// (they arrive in a frame or two) and go out in one write; the rest is streamed with the link's credit as the bound.
import { Readable } from "node:stream";
import type { RequestLines } from "./headers.ts";

export type BodyPlan =
  | { readonly kind: "none" }
  | { readonly kind: "gather"; readonly sizeBytes: number }
  /** Known by the first event: data makes it a stream, an end makes it none. */
  | { readonly kind: "undecided" }
  | { readonly kind: "stream" };

export function planBody(method: string, lines: RequestLines): BodyPlan {
  if (lines.contentLength === 0) return { kind: "none" };
  if (lines.contentLength !== undefined) {
    return lines.contentLength <= maxGatheredBytes
      ? { kind: "gather", sizeBytes: lines.contentLength }
      : { kind: "stream" };
  }
  if (lines.chunked) return { kind: "undecided" };
  return bodylessMethods.has(method) ? { kind: "none" } : { kind: "undecided" };
}

/** A body that the link pushes into; its reader's pace shows in when chunks are reported sent. */
export function createBodySource(): Readable {
  return new Readable({ read() {}, highWaterMark: 0 });
}

const maxGatheredBytes = 64 * 1024;
const bodylessMethods = new Set(["GET", "HEAD", "OPTIONS"]);
