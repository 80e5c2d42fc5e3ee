// This hub among the others: it says every moment that it lives, and learns who else does. What a hub holds is the
// others' to pass on only while it says so: one that was stopped for a while finds that it was taken for dead, joins anew
// and announces all its links again.
import { type Clock, type FairleadError, repeat } from "@fairlead/kernel";
import { isStoreFailure, storeErrors } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { HubStore } from "./store.ts";
import type { JoinedHub, OwnHub } from "./types.ts";

export interface Membership extends AsyncDisposable {
  /** Says at once that this hub lives, and reads who else does. */
  beat(): Promise<void>;
}

export function createMembership(options: {
  readonly store: HubStore;
  readonly self: OwnHub;
  readonly clock: Clock;
  readonly log: Logger;
  /** The others knew nothing of this hub, and so nothing of its links. */
  readonly onJoined: () => void;
  /** The other hubs that live; called also when they are the same as before. */
  readonly onOthers: (others: readonly JoinedHub[]) => void;
  /** While it stood still a newer hub has changed the tables, and it can't use them any more. */
  readonly onOutdated: (error: FairleadError) => void;
}): Membership {
  const { store, self, clock, log, onJoined, onOthers, onOutdated } = options;
  let last: Promise<void> = Promise.resolve();
  /** Since when beats have reached the database, and when the last one did. */
  let steady: { readonly sinceMs: number; readonly lastMs: number } | undefined;
  const beating = repeat({
    ...{ clock, intervalMs: beatMs, run: beat },
    onError(error) {
      if (storeErrors.is(error, "STORE_NEWER")) return onOutdated(error);
      // Another place says that the store is away.
      if (!isStoreFailure(error)) log.error({ err: error }, "can't tell the other hubs that this one lives");
    },
  });

  return {
    beat,
    async [Symbol.asyncDispose]() {
      await beating[Symbol.asyncDispose]();
      await store
        .leave(self.id)
        .catch((error: unknown) => log.warn({ err: error }, "can't take leave of the other hubs"));
    },
  };

  /** One at a time: of two lists of hubs the older one must not come last. */
  function beat(): Promise<void> {
    last = last.catch(() => undefined).then(beatOnce);
    return last;
  }

  async function beatOnce(): Promise<void> {
    const isNew = await store.beat(self).catch((error: unknown) => {
      steady = undefined;
      throw error;
    });
    const lastMs = clock.now();
    const hasStoodStill = steady === undefined || lastMs - steady.lastMs > silenceMs;
    steady = { sinceMs: hasStoodStill ? lastMs : (steady?.sinceMs ?? lastMs), lastMs };
    if (isNew) {
      log.info({ hub: self.id, address: self.address }, "joined the other hubs");
      onJoined();
    }
    // Who has just come to the database himself can't tell who is dead from who couldn't come either.
    const canTell = lastMs - steady.sinceMs >= silenceMs;
    if (canTell) await store.buryDead();
    onOthers((await store.list()).filter(({ id, isSilent }) => id !== self.id && !(canTell && isSilent)));
  }
}

/** Longer than `silence` of the store, and than a beat that is late. */
const silenceMs = 8_000;
/** A hub that is silent for four of these is taken for dead. */
const beatMs = 1_500;
