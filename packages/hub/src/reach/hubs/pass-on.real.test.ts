// An agent's connection comes to one hub and asks for a link of another.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@fairlead/kernel";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";
import { createLogger } from "../../platform/telemetry/index.ts";
import type { StrayConnection } from "../links/index.ts";
import { openHubLink } from "./hub-link.fixture.ts";
import { passOnConnection } from "./pass-on.ts";
import { createPassedConnections } from "./passed-connections.ts";
import { openSockets, type Sockets } from "./sockets.fixture.ts";

it("loses none of its messages while the other hub looks up whose it is", async () => {
  await using agent = await openPassedOn({
    async receive({ webSocket }) {
      await sleep(300);
      webSocket.on("message", (message: Buffer) => webSocket.send(`got ${message}`));
    },
  });
  expect(await nextText(agent.dialled)).toBe("got first");
  agent.dialled.send("second");
  expect(await nextText(agent.dialled)).toBe("got second");
});

it("ends when the other hub refuses it", async () => {
  await using agent = await openPassedOn({
    async receive() {
      throw new Error("this agent was revoked");
    },
  });
  await once(agent.dialled, "close");
});

it("ends at the other hub when the agent is gone", async () => {
  const received = Promise.withResolvers<WebSocket>();
  await using agent = await openPassedOn({
    receive: async ({ webSocket }) => received.resolve(webSocket),
  });
  const there = await received.promise;
  agent.dialled.terminate();
  await once(there, "close");
});

async function openPassedOn({
  receive,
}: {
  readonly receive: (connection: StrayConnection) => Promise<void>;
}): Promise<Sockets> {
  await using undo = new AsyncDisposableStack();
  const log = createLogger({ level: "silent", name: "test" });
  const { here } = undo.use(await openHubLink({ accept: createPassedConnections({ receive, log }) }));
  const agent = undo.use(await openSockets());
  passOnConnection({
    stray: {
      webSocket: agent.accepted,
      credential: { kind: "certificate", der: Buffer.from("a certificate") },
      remoteAddress: "192.0.2.1",
    },
    first: { message: Buffer.from("first"), isBinary: true },
    link: here,
    clock: systemClock,
    log,
  });
  const release = undo.move();
  return { ...agent, [Symbol.asyncDispose]: () => release.disposeAsync() };
}

async function nextText(webSocket: WebSocket): Promise<string> {
  const [message] = await once(webSocket, "message");
  return String(message);
}
