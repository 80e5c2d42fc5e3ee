import type { GitopsObject, ReplicaRefusal } from "@fairlead/protocol";
import type { HubWriteResult } from "../types.ts";

export type WriteOutcome<Found> =
  | { readonly is: "done"; readonly object: Found | undefined }
  | { readonly is: "missing" | "fenced" }
  | { readonly is: "refused"; readonly refusal: ReplicaRefusal };

/**
 * Decides and writes, anew when somebody else wrote first. `decide` says what to write of the object as it is known;
 * undefined: nothing is to be written.
 */
export async function writeAgain<Found extends GitopsObject>(options: {
  readonly read: () => Found | undefined;
  /** Puts what is there now where `read` finds it. */
  readonly reread: () => Promise<void>;
  readonly decide: (there: Found) => (() => Promise<HubWriteResult>) | undefined;
  readonly took: (object: Found) => void;
}): Promise<WriteOutcome<Found>> {
  const { read, reread, decide, took } = options;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const there = read();
    if (there === undefined) return { is: "missing" };
    const write = decide(there);
    if (write === undefined) return { is: "done", object: there };
    const result = await write();
    switch (result.is) {
      case "written": {
        const object = result.object as Found | undefined;
        if (object !== undefined) took(object);
        return { is: "done", object };
      }
      case "conflict":
      case "missing":
        await reread();
        break;
      case "fenced":
        return { is: "fenced" };
      case "refused":
        return result;
      default:
        result satisfies never;
    }
  }
  const message = `Other requests changed it in the meantime, ${maxAttempts} times.`;
  return { is: "refused", refusal: { reason: "unavailable", message, retryAfterMs: 200 } };
}

const maxAttempts = 5;
