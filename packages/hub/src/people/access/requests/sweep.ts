import type { Clock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { createAccessRequestStore } from "./store.ts";
import { requestTimes, transition } from "./transition.ts";

/** Ends requests that nobody decided in time, and forgets those that ended long ago. */
export async function sweepRequests(options: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly onEnded: (ended: { readonly kind: "request"; readonly id: string; readonly what: string }) => Promise<void>;
}): Promise<void> {
  const { db, clock, onEnded } = options;
  const store = createAccessRequestStore(db);
  const nowMs = clock.now();
  for (const request of await store.listDue(nowMs)) {
    const { id, role, requesterName } = request;
    // One hub of several ends it, and puts it on record.
    if (!(await store.settle(id, transition(request, { kind: "lapse" }, nowMs), nowMs))) continue;
    await onEnded({
      kind: "request",
      id,
      what: `request of ${requesterName} for role ${role} was not decided in time`,
    });
  }
  await store.removeEnded(nowMs - requestTimes.keepMs);
}
