// Every deletion that an autonomous cluster asks for comes through here.
import type { GitopsObject } from "@fairlead/protocol";
import type { HubObjects, OwnershipFence } from "../../types.ts";
import { type WriteOutcome, writeAgain } from "../write-again.ts";
import { withFinalizers } from "./decide.ts";
import { isMirrorOfOther } from "./mirror.ts";
import type { MirroredKind } from "./mirror-location.ts";

/** The object is gone in the cluster. Its mirror loses its finalizers first, so that nobody prunes anything for it. */
export async function letMirrorGo(options: {
  readonly kind: MirroredKind;
  readonly objects: Pick<HubObjects, "writeFinalizers" | "remove">;
  readonly fence: OwnershipFence;
  readonly signal: AbortSignal;
  /** The mirror as it is known. */
  readonly read: () => GitopsObject | undefined;
  /** Puts what is there now where `read` finds it. */
  readonly reread: () => Promise<void>;
  readonly took: (object: GitopsObject) => void;
}): Promise<WriteOutcome<GitopsObject>> {
  const { kind, objects, fence, signal, read, reread, took } = options;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const bared = await writeAgain<GitopsObject>({
      read,
      reread,
      took,
      decide: (mirror) => {
        if ((mirror.metadata.finalizers ?? []).length === 0) return undefined;
        return () => objects.writeFinalizers({ kind, object: withFinalizers(mirror, []), fence, signal });
      },
    });
    const mirror = read();
    if (bared.is !== "done" || mirror === undefined) return bared;
    // A name may have become another cluster's since it was read: then nothing of it is removed.
    if (attempt === 0) await reread();
    const now = read();
    if (now === undefined || isMirrorOfOther(fence.cluster, now)) return { is: "done", object: undefined };
    const { namespace, name, uid = "" } = now.metadata;
    const removed = await objects.remove({ kind, namespace, name, uid, fence, signal });
    if (removed.is === "fenced" || removed.is === "refused") return removed;
    await reread();
    if (read() === undefined) return { is: "done", object: undefined };
  }
  const message = "Another client keeps adding finalizers to the mirror.";
  return { is: "refused", refusal: { reason: "unavailable", message, retryAfterMs: 1_000 } };
}

const maxAttempts = 3;
