// This hub among the others: it says every moment that it lives, and learns who else does. Others pass requests on to a
// hub only while it says so. A hub that was stopped for a while finds that it was taken for dead, joins anew and
// announces all its links again.
import { type Clock, type FairleadError, repeat } from "@fairlead/kernel";
import { isStoreFailure, storeErrors } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import { createSteadiness } from "./steadiness.ts";
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
  const steadiness = createSteadiness();
  const beating = repeat({
    clock,
    intervalMs: beatMs,
    run: beat,
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

  /** Beats in turn, so that an older list of hubs doesn't replace a newer one. */
  function beat(): Promise<void> {
    last = last.catch(() => undefined).then(beatOnce);
    return last;
  }

  async function beatOnce(): Promise<void> {
    const isNew = await store.beat(self).catch((error: unknown) => {
      steadiness.lose();
      throw error;
    });
    const canTell = steadiness.note(clock.now());
    if (isNew) {
      log.info({ hub: self.id, address: self.address }, "joined the other hubs");
      onJoined();
    }
    if (canTell) await store.buryDead();
    onOthers((await store.list()).filter(({ id, isSilent }) => id !== self.id && !(canTell && isSilent)));
  }
}

/** A hub that is silent for four of these is taken for dead. */
const beatMs = 1_500;
