// A link between two hubs over loopback, without the hubs.
import { untilAbort } from "@fairlead/kernel";
import {
  acceptLink,
  attachLink,
  type Link,
  type LinkLimits,
  LinkSessions,
  type StreamAcceptor,
} from "@fairlead/protocol";
import { openSockets } from "./sockets.fixture.ts";

export interface HubLink extends AsyncDisposable {
  /** The end of the hub that dialled, and opens streams. */
  readonly here: Link;
  readonly there: Link;
}

export async function openHubLink(options: {
  readonly accept: StreamAcceptor;
  readonly limits?: Partial<LinkLimits>;
}): Promise<HubLink> {
  const { accept, limits = {} } = options;
  await using undo = new AsyncDisposableStack();
  const { accepted, dialled } = undo.use(await openSockets());
  const there = acceptLink({ socket: accepted, accept, limits, sessions: new LinkSessions() });
  const here = attachLink({
    socket: dialled,
    limits,
    dialAgain: neverAgain,
    accept() {
      throw new Error("nothing is served here");
    },
  });
  undo.defer(async () => {
    for (const link of [here, there]) link.close("test is done");
    await Promise.all([here.closed, there.closed]);
  });
  const release = undo.move();
  return { here, there, [Symbol.asyncDispose]: () => release.disposeAsync() };
}

/** Links between hubs wait for another connection; no test here gives them one. */
async function neverAgain({ signal }: { readonly signal: AbortSignal }): Promise<never> {
  await untilAbort(signal);
  throw signal.reason;
}
