// An agent's connection came to this hub and asks for a link that another hub has: a balancer sent it here after a cut,
// or for the link's second lane. It is passed on to that hub, which authenticates the agent once more.
import { createHash } from "node:crypto";
import { type Clock, createId } from "@fairlead/kernel";
import {
  type FirstMessage,
  type Link,
  linkPath,
  linkSocketOptions,
  linkSubprotocol,
  type RawHeaders,
} from "@fairlead/protocol";
import { WebSocket } from "ws";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { StrayConnection } from "../links/index.ts";
import { bridgeSockets } from "./bridge-sockets.ts";
import { formatCredential } from "./credential-headers.ts";
import { createStreamDuplex } from "./stream-duplex.ts";

export const agentAddressHeader = "x-fairlead-agent-address";

/** Sessions are known to other hubs by this alone: who has the name may go on with the link. */
export function hashSession(name: string): string {
  return createHash("sha256").update(`link session ${name}`).digest("base64url");
}

export function passOnConnection(options: {
  readonly stray: StrayConnection;
  readonly first: FirstMessage;
  /** The link to the hub that has the agent's link. */
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Logger;
}): void {
  const { stray, first, link, clock, log } = options;
  const { webSocket, credential, remoteAddress } = stray;
  webSocket.pause();
  const { duplex, handlers, connect } = createStreamDuplex();
  duplex.on("error", () => webSocket.terminate());
  const headers: RawHeaders = [...formatCredential(credential), agentAddressHeader, remoteAddress];
  try {
    connect(
      link.openStream(
        {
          target: "link",
          method: "GET",
          path: linkPath,
          headers,
          upgrade: true,
          requestId: createId("req"),
          deadlineMs: openMs,
        },
        handlers,
      ),
    );
  } catch (error) {
    log.info({ err: error, remoteAddress }, "can't pass an agent's connection on to its hub");
    webSocket.terminate();
    return;
  }
  const onward = new WebSocket(`ws://hub${linkPath}`, [linkSubprotocol], {
    ...linkSocketOptions,
    createConnection: () => duplex,
  });
  const cancel = clock.after(openMs, () => onward.terminate());
  onward.once("open", () => {
    cancel();
    onward.send(first.message, { binary: first.isBinary });
    bridgeSockets(webSocket, onward);
    webSocket.resume();
  });
  onward.on("error", (error) => {
    cancel();
    log.info({ err: error, remoteAddress }, "an agent's connection can't be passed on to its hub");
    webSocket.terminate();
  });
  webSocket.once("close", () => onward.terminate());
}

const openMs = 10_000;
