// Subscriptions to runs on the live socket: what is shared between them, what each may take, and the rights under which they
// go on.
import type { RunSubscribeRequest } from "@fairlead/contract";
import { toFairleadError } from "@fairlead/kernel";
import type { Access, Principal } from "../../people/access/index.ts";
import { liveErrors, type OpenSubscription, type Subscriber, type SubscribeToRuns } from "../../picture/live/index.ts";
import { createReaders } from "../../platform/server/index.ts";
import type { LogReaders } from "../runs/index.ts";
import { followRun, type RunPorts } from "./follow-run.ts";
import { followRuns, type RunListPorts } from "./follow-runs.ts";
import { createOutlet, defaultCredit } from "./outlet.ts";

export function openLiveRuns(
  ports: RunPorts &
    RunListPorts & {
      readonly access: Pick<Access, "onChanged">;
      /** Throws COMMAND_NOT_FOUND. Gives a function that says from memory whether the principal still may read it. */
      readonly requireReadable: (principal: Principal, id: string) => Promise<() => boolean>;
      /** Followers count as readers of logs like any others. */
      readonly logReaders: LogReaders;
    },
): { readonly subscribeToRuns: SubscribeToRuns } {
  const readers = createReaders({ most: maxSubscriptions, mostOfOne: maxSubscriptionsOfUser });
  return {
    subscribeToRuns: (principal) => async (request, to) => {
      using undo = new DisposableStack();
      const over = new AbortController();
      undo.defer(() => over.abort());
      enter(undo, principal, request);
      if (request.type === "follow-run") await watchRights(undo, { principal, id: request.run, to });
      const outlet = createOutlet({ credit: request.credit ?? defaultCredit, to, signal: over.signal });
      const { signal } = over;
      const following = { principal, outlet, signal };
      const told =
        request.type === "follow-run"
          ? followRun(ports, { request, ...following })
          : followRuns(ports, { request, ...following });
      void told.then(to.onOver, (thrown: unknown) => {
        if (!signal.aborted) to.onError(toFairleadError(thrown));
      });
      const owned = undo.move();
      return {
        addCredit: outlet.addCredit,
        resume: outlet.resume,
        [Symbol.dispose]: () => owned.dispose(),
      } satisfies OpenSubscription;
    },
  };

  /** Throws LIVE_TOO_MANY and COMMAND_LOG_READERS_TOO_MANY. */
  function enter(undo: DisposableStack, { uid }: Principal, request: RunSubscribeRequest): void {
    const leave = readers.enter(uid);
    if (!leave) throw liveErrors.LIVE_TOO_MANY({ what: "subscriptions to runs" });
    undo.defer(leave);
    if (request.type !== "follow-run" || request.logFrom === undefined) return;
    undo.defer(ports.logReaders.enter(uid));
  }

  async function watchRights(
    undo: DisposableStack,
    { principal, id, to }: { readonly principal: Principal; readonly id: string; readonly to: Subscriber },
  ): Promise<void> {
    let mayStill = (): boolean => true;
    // Rights that change while they are looked up count, too.
    let hasChanged = false;
    undo.defer(
      ports.access.onChanged(() => {
        hasChanged = true;
        if (!mayStill()) to.onError(liveErrors.LIVE_RIGHTS_CHANGED());
      }),
    );
    mayStill = await ports.requireReadable(principal, id);
    if (hasChanged && !mayStill()) throw liveErrors.LIVE_RIGHTS_CHANGED();
  }
}

const maxSubscriptions = 512;
const maxSubscriptionsOfUser = 64;
