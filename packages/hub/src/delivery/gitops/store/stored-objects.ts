// The hub's side in its own database, for hubs without Argo CD.
import { type Clock, untilAbort } from "@fairlead/kernel";
import { gitopsKinds, maxContentBytes } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { Changes } from "../../../platform/changes/index.ts";
import type { KeySeal } from "../../../platform/pki/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import type { HubObjects } from "../types.ts";
import { createBodySeal } from "./body-seal.ts";
import { createFeed } from "./feed.ts";
import { findRow, toStoredObject } from "./rows.ts";
import type { StoreLimits } from "./types.ts";
import { createWatcher } from "./watcher.ts";
import { createStoreWriter } from "./writer.ts";

export function createStoredObjects(options: {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "follow" | "raise" | "hint" | "era">;
  /** Without a key in it, no Secrets of repositories are kept. */
  readonly seal: KeySeal;
  readonly clock: Clock;
  readonly limits?: Partial<StoreLimits> | undefined;
}): HubObjects {
  const { db, changes, clock } = options;
  const seal = createBodySeal(options.seal);
  const mayKeepSecrets = options.seal.keyIds.length > 0;
  const kinds = new Set(gitopsKinds.filter((kind) => kind !== "repositories" || mayKeepSecrets));
  const limits = { ...usualLimits, ...options.limits };
  const feed = createFeed({ db, changes, seal, clock });
  return {
    kinds,

    async watch({ handler, signal, ...scope }) {
      signal.throwIfAborted();
      if (!kinds.has(scope.kind)) {
        handler.listed([]);
        await untilAbort(signal);
        return;
      }
      await using _joined = feed.join(createWatcher(scope, handler));
      await untilAbort(signal);
    },

    async get(object, signal) {
      signal.throwIfAborted();
      const row = kinds.has(object.kind) ? await findRow(db, object) : undefined;
      signal.throwIfAborted();
      return row && toStoredObject(row, seal).object;
    },

    ...createStoreWriter({ db, changes, seal, kinds, limits, clock }),

    // The database is its owner's.
    async [Symbol.asyncDispose]() {},
  };
}

const usualLimits: StoreLimits = {
  maxObjects: 5_000,
  maxBytes: 256 * 1024 * 1024,
  maxObjectBytes: maxContentBytes,
};
