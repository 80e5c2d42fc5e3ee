import { once } from "node:events";
import { systemClock } from "@fairlead/kernel";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";
import type { Link } from "../session/index.ts";
import { openHead } from "../session/session-pair.fixture.ts";
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import { closeCodes, formatResume, readResume } from "../wire/index.ts";
import { openSocketPair, type SocketPair } from "./link-pair.fixture.ts";
import { LinkSessions } from "./link-sessions.ts";
import { receiveSocket } from "./receive-socket.ts";
import { acceptLink, attachLink } from "./ws-link.ts";

it("goes on over real sockets, by itself, until a name is unknown or somebody else's", async () => {
  await using undo = new AsyncDisposableStack();
  const sessions = new LinkSessions();
  const refused: string[] = [];
  let mayResume = true;
  let hub: Link | undefined;
  const open = async (): Promise<SocketPair> => {
    const pair = await openSocketPair();
    undo.defer(() => pair.close());
    receiveSocket({
      socket: pair.hubSocket,
      sessions,
      clock: systemClock,
      timeoutMs: 5_000,
      onLink: (first) => {
        hub = acceptLink({ socket: pair.hubSocket, sessions, first, accept: echo });
      },
      mayResume: () => mayResume,
      onResumed: () => {},
      onRefused: (error) => void refused.push(error.code),
      onBroken: (error) => void refused.push(error.code),
    });
    return pair;
  };
  const sockets: WebSocket[] = [];
  const dialAgain = async (): Promise<WebSocket> => {
    const { agentSocket } = await open();
    sockets.push(agentSocket);
    return agentSocket;
  };
  const cut = (): void => {
    for (const socket of sockets.splice(0)) socket.terminate();
  };
  const agent = attachLink({ socket: await dialAgain(), accept: echo, dialAgain });
  const got: Buffer[] = [];
  const ended = Promise.withResolvers<string>();
  await agent.ping();
  const stream = agent.openStream(openHead({ method: "POST" }), {
    onData: (chunk) => {
      got.push(Buffer.from(chunk));
      stream.consumed(chunk.byteLength);
    },
    onEnd: () => ended.resolve("end"),
    onReset: (error) => ended.resolve(error.code),
  });
  const sent = Buffer.alloc(3_000_000, "0123456789abcdef!");
  for (let at = 0; at < sent.byteLength; at += 100_000) {
    stream.write(sent.subarray(at, at + 100_000));
    if (at % 1_000_000 === 0) {
      await new Promise(setImmediate);
      cut();
      await expect.poll(() => agent.state, { timeout: 60_000, interval: 5 }).toBe("up");
    }
  }
  stream.end();
  expect(await ended.promise).toBe("end");
  expect(Buffer.concat(got).equals(sent)).toBe(true);
  expect(agent.stats().resumes).toBeGreaterThan(0);
  mayResume = false;
  cut();
  expect(await agent.closed).toMatchObject({ reason: "closed-by-peer", code: 1006 });
  expect(new Set(refused)).toEqual(new Set(["LINK_RESUME_FOREIGN"]));
  await expect.poll(() => hub?.state).toBe("resuming");
  hub?.close("done");
});

it("begins a new link on the connection that asked for one nobody knows, if the dialler wants that", async () => {
  await using undo = new AsyncDisposableStack();
  const begun: Link[] = [];
  let sessions = new LinkSessions();
  const open = async (): Promise<SocketPair> => {
    const pair = await openSocketPair();
    undo.defer(() => pair.close());
    const { hubSocket: socket } = pair;
    receiveSocket({
      socket,
      sessions,
      clock: systemClock,
      timeoutMs: 5_000,
      mayResume: () => true,
      onLink: (first) => void begun.push(acceptLink({ socket, sessions, first, accept: echo })),
      onResumed: () => {},
      onRefused: () => {},
      onBroken: () => {},
    });
    return pair;
  };
  const first = await open();
  let dials = 0;
  const spares: WebSocket[] = [];
  const dialAgain = async (): Promise<WebSocket> => {
    dials++;
    return (await open()).agentSocket;
  };
  const lost = attachLink({
    socket: first.agentSocket,
    accept: echo,
    dialAgain,
    keepSpare: (socket) => void spares.push(socket),
  });
  await lost.ping();
  // The hub is another one.
  sessions = new LinkSessions();
  first.hubSocket.terminate();
  await lost.closed;
  const [spare] = spares;
  if (spare === undefined) throw new Error("no connection was left");
  const next = attachLink({ socket: spare, accept: echo, dialAgain });
  await next.ping();
  expect(begun).toHaveLength(2);
  expect(dials).toBe(1);

  // Without a taker the connection is closed.
  sessions = new LinkSessions();
  spare.terminate();
  await next.closed;
  expect({ dials, begun: begun.length, spares: spares.length }).toEqual({ dials: 2, begun: 2, spares: 1 });
  for (const link of begun) link.close("done");
});

it("refuses a second RESUME on a connection that was asked to begin", async () => {
  const pair = await openSocketPair();
  await using _pair = { [Symbol.asyncDispose]: pair.close };
  const { hubSocket: socket, agentSocket } = pair;
  const begun: unknown[] = [];
  receiveSocket({
    socket,
    sessions: new LinkSessions(),
    clock: systemClock,
    timeoutMs: 5_000,
    mayResume: () => true,
    onLink: (first) => void begun.push(first),
    onResumed: () => {},
    onRefused: () => {},
    onBroken: () => {},
  });
  const ask = formatResume({ session: "A".repeat(22), lane: 0, received: 0, orBegin: true });
  const answered = once(agentSocket, "message");
  agentSocket.send(ask);
  const [answer] = await answered;
  expect(JSON.parse(readResume(answer) ?? "")).toEqual({ begin: true });
  const closed = once(agentSocket, "close");
  agentSocket.send(ask);
  expect((await closed)[0]).toBe(closeCodes.sessionUnknown);
  expect(begun).toEqual([]);
});

function echo(stream: LinkStream): StreamHandlers {
  stream.respond({ status: 200, headers: [] });
  return {
    onData: (chunk) => {
      stream.write(chunk);
      stream.consumed(chunk.byteLength);
    },
    onEnd: () => stream.end(),
    onReset: () => {},
  };
}
