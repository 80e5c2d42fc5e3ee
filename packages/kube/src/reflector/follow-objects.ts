import type { FairleadError } from "@fairlead/kernel";
import type { KubeObject } from "../objects/index.ts";
import { runReflector } from "./reflector.ts";
import type { ReflectorOptions } from "./types.ts";

/** Told of whole listings and of single changes; of no change while a listing is under way. */
export interface FollowHandler {
  /** These are all there are. Objects that were known before and are missing here are gone. */
  listed(objects: readonly KubeObject[]): void;
  changed(object: KubeObject): void;
  /** May be no more than its metadata. */
  deleted(object: KubeObject): void;
  /** The watch broke, or the kind can't be read. The known objects may be old by now, but none is gone for that. */
  unavailable(error: FairleadError): void;
  /** A watch is open: what is known is kept up to date. After a short break that may be all that is told. */
  live?(): void;
}

/** A reflector for those who want to see a listing whole. Resolves after the signal. */
export async function followObjects(
  options: Omit<ReflectorOptions, "handler"> & { readonly handler: FollowHandler },
): Promise<void> {
  const { handler } = options;
  let listing = new Map<string, KubeObject>();
  await runReflector({
    ...options,
    handler: {
      onListStart: () => {
        listing = new Map();
      },
      onObject: (object) => void listing.set(object.metadata.uid, object),
      onListed: () => {
        const objects = [...listing.values()];
        listing = new Map();
        handler.listed(objects);
      },
      onApplied: (object) => handler.changed(object),
      onDeleted: (object) => handler.deleted(object),
      onAlive: () => undefined,
      onState: (state) => {
        if (state.type === "failing") handler.unavailable(state.error);
        else if (state.type === "live") handler.live?.();
      },
    },
  });
}
