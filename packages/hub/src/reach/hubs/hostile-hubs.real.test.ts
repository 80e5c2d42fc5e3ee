// A hub that is let in and breaks the rules of links, or asks for what is another hub's: it loses its own link, for a reason
// that has a code, and other hubs' links go on.
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createId, systemClock } from "@fairlead/kernel";
import { attachLink, createLinkBudget, type Link, type OpenHead, resetCodes } from "@fairlead/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { openPki, type Pki } from "../../platform/pki/index.ts";
import { createLogger } from "../../platform/telemetry/index.ts";
import { dialHub } from "./dial.ts";
import { createHubDoor } from "./door.ts";
import { createHubIdentity, type HubIdentity } from "./identity.ts";
import { createRelay, type RelayCounters } from "./relay.ts";

const types = { settings: 1, open: 2, data: 4, window: 8, resume: 13 } as const;
const undo = new AsyncDisposableStack();
const counters: RelayCounters = { active: 0, total: 0 };
const lines: string[] = [];
let pki: Pki;
let server: Server;
let self: HubIdentity;
let steady: Link;

beforeAll(async () => {
  pki = undo.use(await openPki({ trustDomain: "example.org" }));
  self = createHub();
  // No cluster has a link here, whatever other hubs believe.
  const door = createHubDoor({
    pki,
    accept: createRelay({ registry: { own: () => [] }, counters }),
    budgetOf: () => undefined,
    clock: systemClock,
    budget: createLinkBudget({ totalBytes: 1e8 }),
    log: createLogger({ level: "info", name: "test", destination: { write: (line) => void lines.push(line) } }),
    isMember: async () => true,
    onTakenForDead: () => undefined,
  });
  undo.use(door);
  const { certPem: cert, keyPem: key, caPem: ca } = await self.current();
  server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.3" });
  server.on("upgrade", (req, socket, head) => door.handleUpgrade(req, socket as Socket, head));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.defer(() => void server.close());
  const identity = createHub();
  const dialAgain = () => dial(identity);
  steady = attachLink({
    socket: await dial(identity),
    dialAgain,
    accept: () => ({ onData() {}, onEnd() {}, onReset() {} }),
  });
  undo.defer(() => steady.close("test is done"));
  await steady.ping();
}, 60_000);
afterAll(() => undo.disposeAsync());

it.each<[string, () => readonly Buffer[], number]>([
  ["garbage", () => [Buffer.from([1, 2, 3])], 4400],
  ["the same opening twice", () => [settings(), open(1), open(1)], 4400],
  ["openings in the wrong order", () => [settings(), open(5), open(3)], 4400],
  ["data for a stream that never was", () => [settings(), data(7, 0)], 4400],
  ["credit for a stream that never was", () => [settings(), frame(types.window, 9, Buffer.alloc(4))], 4400],
  ["settings of a version from the future", () => [frame(types.settings, 0, '{"versions":[7]}')], 4426],
])("a hub that sends %s loses its link, and others keep theirs", async (_what, frames, closeCode) => {
  const socket = await dial(createHub());
  const closed = once(socket, "close");
  for (const each of frames()) socket.send(each);
  expect((await closed)[0]).toBe(closeCode);
  expect(await steady.ping()).toBeGreaterThanOrEqual(0);
});

it("a hub doesn't go on with another hub's link, though it knows its name", async () => {
  const owner = await dial(createHub());
  const greeting = once(owner, "message");
  owner.send(settings());
  const [message] = (await greeting) as [Buffer];
  const { session } = JSON.parse(message.subarray(8).toString()) as { session: string };
  expect(session).toHaveLength(22);
  const thief = await dial(createHub());
  const closed = once(thief, "close");
  thief.send(frame(types.resume, 0, JSON.stringify({ session, lane: 0, received: 0 })));

  expect((await closed).map(String)).toEqual(["4404", "no such session"]);
  expect(lines.join()).toContain("LINK_RESUME_FOREIGN");
  expect(owner.readyState).toBe(owner.OPEN);
  owner.terminate();
});

it("a request that two hubs each believe to be the other's ends at the first hop, at once and for a reason", async () => {
  const reset = Promise.withResolvers<[string, number]>();
  steady.openStream(
    { ...head, cluster: "east" },
    {
      onData() {},
      onEnd() {},
      onReset: (error, code) => reset.resolve([error.code, code]),
    },
  );
  expect(await reset.promise).toEqual(["LINK_RESET_GOING_AWAY", resetCodes.goingAway]);
  expect(counters).toEqual({ active: 0, total: 0 });
});

const head: OpenHead = {
  target: "kubernetes",
  method: "GET",
  path: "/api",
  headers: [],
  upgrade: false,
  requestId: "r",
  deadlineMs: 60_000,
};

function createHub(): HubIdentity {
  return createHubIdentity({ id: createId("hub"), pki, clock: systemClock });
}

async function dial(identity: HubIdentity): Promise<WebSocket> {
  const { port } = server.address() as AddressInfo;
  const hub = { id: self.id, address: `127.0.0.1:${port}`, version: "1.0.0" };
  const socket = await dialHub({ hub, identity, signal: new AbortController().signal, timeoutMs: 60_000 });
  socket.on("error", () => undefined); // the rest of what it sends may meet a closed connection
  return socket;
}

function settings(): Buffer {
  return frame(types.settings, 0, JSON.stringify({ versions: [1], streams: 100, resume: true, lanes: 2 }));
}

function open(stream: number): Buffer {
  return frame(types.open, stream, JSON.stringify({ ...head, cluster: "east", window: 65_536 }));
}

function data(stream: number, offset: number): Buffer {
  const at = Buffer.alloc(9);
  at.writeUInt32BE(offset, 4);
  return frame(types.data, stream, at);
}

/** docs/PROTOCOL.md: type, flags, reserved, stream, payload. */
function frame(type: number, stream: number, payload: Buffer | string): Buffer {
  const start = Buffer.alloc(8);
  start[0] = type;
  start.writeUInt32BE(stream, 4);
  return Buffer.concat([start, Buffer.from(payload)]);
}
