// The door of hubs lets other hubs in to make a link, and refuses everybody else.
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createId, systemClock } from "@fairlead/kernel";
import {
  attachLink,
  createLinkBudget,
  hubLinkPath,
  type Link,
  type LinkStream,
  resetCodes,
  type StreamAcceptor,
} from "@fairlead/protocol";
import { createAuthority, createCsr } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "../../hub.fixture.ts";
import { openPki, type Pki } from "../../platform/pki/index.ts";
import { createLogger } from "../../platform/telemetry/index.ts";
import { dialHub } from "./dial.ts";
import { createHubDoor, type HubDoor } from "./door.ts";
import { createHubIdentity, type HubIdentity } from "./identity.ts";
import { createHubPeers, takenForDead } from "./peers.ts";
import type { OtherHub } from "./types.ts";

const members = new Set<string>();
const takenForDeadBy: string[] = [];
let pki: Pki;
let door: HubDoor;
let server: Server;
let self: HubIdentity;
const undo = new AsyncDisposableStack();
const ignored = { onData() {}, onEnd() {}, onReset() {} };

beforeAll(async () => {
  pki = undo.use(await openPki({ trustDomain: "example.org" }));
  self = identityOf(createId("hub"));
  door = undo.use(openDoor(() => ignored));
  const { certPem: cert, keyPem: key, caPem: ca } = await self.current();
  server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.3" });
  server.on("upgrade", (req, socket, head) => door.handleUpgrade(req, socket as Socket, head));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.defer(() => void server.close());
});
afterAll(() => undo.disposeAsync());

it("lets in a hub that is among those of the database, and they have a link", async () => {
  const link = await linkOf(addMember());
  expect(await link.ping()).toBeGreaterThanOrEqual(0);
  link.close("test is done");
});

it("tells of a hub that takes this one for dead, and not of one that stops", async () => {
  const [stopping, other] = [addMember(), addMember()];
  const links = [await linkOf(stopping), await linkOf(other)];
  for (const link of links) await link.ping();
  links[0]?.close("this hub stops");
  links[1]?.close(takenForDead);
  await expect.poll(() => takenForDeadBy).toEqual([other.id]);
});

it("ends the links of a hub that is taken for dead, with what its people had open, and no others", async () => {
  const [dead, other, fresh] = [addMember(), addMember(), addMember()];
  const [first, second, third] = [await linkOf(dead), await linkOf(other), await linkOf(fresh)];
  const opened = openOn(first, "/");
  await first.ping();
  door.keep([toOther(dead), toOther(other)]);
  door.keep([toOther(other)]);
  expect(await first.closed).toMatchObject({ reason: "closed-by-peer", text: takenForDead });
  expect(await opened).toMatchObject({ code: resetCodes.linkLost });
  for (const link of [second, third]) {
    expect(await link.ping()).toBeGreaterThanOrEqual(0);
    link.close("test is done");
  }
});

it("closes when other hubs have all that they are owed, and tells them of what they opened too late that it wasn't begun", async () => {
  const kept: LinkStream[] = [];
  const shared = door;
  door = openDoor((stream) => {
    kept.push(stream);
    return ignored;
  });
  const [link, closing] = [await linkOf(addMember()), door];
  door = shared;
  const had = openOn(link, "/had");
  await link.ping();
  kept[0]?.respond({ status: 200, headers: [] });
  kept[0]?.write(Buffer.from("last words"));
  kept[0]?.end();
  const closed = closing[Symbol.asyncDispose]();
  // On the wire these cross the GOAWAY.
  const late = Array.from({ length: 20 }, () => openOn(link, "/late"));
  await closed;
  expect(await had).toEqual({ text: "last words", code: undefined });
  for (const each of await Promise.all(late)) expect(each).toEqual({ text: "", code: resetCodes.goingAway });
  expect(kept.map(({ open }) => open.path)).toEqual(["/had"]);
});

it("refuses a hub that has left, whose certificate holds for hours yet", async () => {
  await expect(dial(identityOf(createId("hub")))).rejects.toMatchObject(refused);
});

it("refuses an agent, whatever cluster it is of", async () => {
  const { csrDer, keyPem } = await createCsr();
  const { certPem } = await pki.issueAgent({ csrDer, cluster: "hub", roles: ["proxy"], ttlMs: 3_600_000 });
  await expect(dial(withCertificate({ certPem, keyPem }))).rejects.toMatchObject(refused);
});

it("refuses a hub of another authority, and whoever shows no certificate", async () => {
  const id = createId("hub");
  members.add(id);
  const stranger = await createAuthority({ commonName: "stranger", days: 1 });
  const issued = await stranger.issueHubCertificate({ id, trustDomain: "example.org", ttlMs: 3_600_000 });
  await expect(dial(withCertificate(issued))).rejects.toMatchObject(refused);
  await expect(dial(withCertificate({ certPem: "", keyPem: "" }))).rejects.toMatchObject(refused);
});

it.each([
  ["X-Forwarded-Client-Cert", "URI=spiffe://example.org/hub"],
  ["x_forwarded_client_cert", "URI=spiffe://example.org/hub"],
  ["X-Fairlead-Agent-Mesh-Identity", "spiffe://example.org/hub"],
])("takes no %s for a certificate, also twice", async (name, value) => {
  const { port } = server.address() as AddressInfo;
  const version = ["Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", Buffer.alloc(16).toString("base64")];
  const lines = ["Host", "hub", "Connection", "Upgrade", "Upgrade", "websocket", ...version];
  for (const sent of [
    [name, value],
    [name, value, name.toLowerCase(), value],
  ]) {
    const answer = await call(`https://127.0.0.1:${port}`, hubLinkPath, { headers: [...lines, ...sent] });
    expect(answer).toMatchObject({ status: 401, json: { code: "HUB_CERTIFICATE_REQUIRED" } });
  }
});

it("cuts a connection whose certificate's authority is retired: a hub with a new one goes on, and a thief is out", async () => {
  const opened: LinkStream[] = [];
  const shared = door;
  door = openDoor((stream) => {
    opened.push(stream);
    return ignored;
  });
  const [honest, robbed] = [addMember(), addMember()];
  const loot = await robbed.current();
  const thief = { ...robbed, current: async () => ({ ...loot, caPem: pki.caPem }) };
  const [link, stolen] = [await linkOf(honest), await linkOf(thief)];
  const answer = openOn(link, "/");
  await expect.poll(() => opened.length, { timeout: 60_000 }).toBe(1);
  await pki.rotate();
  expect([link.state, stolen.state]).toEqual(["up", "up"]);
  await showSelf();
  await pki.retire();
  await showSelf();
  expect(await link.ping({ signal: AbortSignal.timeout(60_000) })).toBeGreaterThanOrEqual(0);
  opened[0]?.respond({ status: 200, headers: [] });
  opened[0]?.end();
  expect(await answer).toMatchObject({ code: undefined });
  expect(stolen.state).not.toBe("up");
  await expect(dial(thief)).rejects.toMatchObject(refused);
  stolen.close("test is done");
  link.close("test is done");
  await door[Symbol.asyncDispose]();
  door = shared;
}, 120_000);

it("is dialled anew by hubs when an authority is retired, and their links to it go on", async () => {
  const other = addMember();
  await using peers = createHubPeers({
    identity: other,
    budget: createLinkBudget({ totalBytes: 1e8 }),
    budgetOf: () => undefined,
    clock: systemClock,
    log: createLogger({ level: "silent", name: "test" }),
    onChanged: () => undefined,
  });
  const { port } = server.address() as AddressInfo;
  peers.keep([{ id: self.id, address: `127.0.0.1:${port}`, version: "1.0.0" }]);
  await expect.poll(() => peers.linkTo(self.id)?.state, { timeout: 60_000 }).toBe("up");
  const link = peers.linkTo(self.id);
  for (const change of [() => pki.rotate(), () => pki.retire()]) {
    await change();
    await showSelf();
    peers.redial();
    expect(await link?.ping({ signal: AbortSignal.timeout(60_000) })).toBeGreaterThanOrEqual(0);
  }
  expect(peers.linkTo(self.id)).toBe(link);
  expect(link?.state).toBe("up");
}, 120_000);

it("isn't dialled in the place of another hub, whatever address leads to it", async () => {
  const other = identityOf(createId("hub"));
  members.add(other.id);
  await expect(dial(other, createId("hub"))).rejects.toMatchObject({ code: "HUB_UNREACHABLE" });
});

/** As the listener does when the authorities change. */
async function showSelf(): Promise<void> {
  const { certPem: cert, keyPem: key, caPem: ca } = await self.current();
  server.setSecureContext({ cert, key, ca });
}

function openDoor(accept: StreamAcceptor): HubDoor {
  return createHubDoor({
    pki,
    accept,
    budgetOf: () => undefined,
    clock: systemClock,
    budget: createLinkBudget({ totalBytes: 1e8 }),
    log: createLogger({ level: "silent", name: "test" }),
    isMember: async (hub) => members.has(hub),
    onTakenForDead: (by) => takenForDeadBy.push(by),
  });
}

/** Resolves at the stream's end, with the code if it was a reset. */
function openOn(link: Link, path: string): Promise<{ readonly text: string; readonly code: number | undefined }> {
  const { promise, resolve } = Promise.withResolvers<{ text: string; code: number | undefined }>();
  let text = "";
  const head = { target: "kubernetes", method: "GET", path, headers: [], upgrade: false } as const;
  const stream = link.openStream(
    { ...head, requestId: "r", deadlineMs: 10_000 },
    {
      onData(chunk) {
        text += Buffer.from(chunk).toString();
      },
      onEnd: () => resolve({ text, code: undefined }),
      onReset: (_error, code) => resolve({ text, code }),
    },
  );
  stream.end();
  return promise;
}

function addMember(): HubIdentity {
  const other = identityOf(createId("hub"));
  members.add(other.id);
  return other;
}

async function linkOf(identity: HubIdentity): Promise<Link> {
  return attachLink({
    socket: await dial(identity),
    dialAgain: () => dial(identity),
    accept() {
      throw new Error("nothing is served here");
    },
  });
}

function toOther({ id }: HubIdentity): OtherHub {
  return { id, address: "127.0.0.1:1", version: "1.0.0" };
}

const refused = { code: "HUB_UNREACHABLE", message: expect.stringMatching(/401/) };

function identityOf(id: string): HubIdentity {
  return createHubIdentity({ id, pki, clock: systemClock });
}

function withCertificate({ certPem, keyPem }: { certPem: string; keyPem: string }): HubIdentity {
  return { ...self, current: async () => ({ certPem, keyPem, caPem: pki.caPem }) };
}

function dial(identity: HubIdentity, meant: string = self.id): ReturnType<typeof dialHub> {
  const { port } = server.address() as AddressInfo;
  return dialHub({
    hub: { id: meant, address: `127.0.0.1:${port}`, version: "1.0.0" },
    identity,
    signal: new AbortController().signal,
    timeoutMs: 10_000,
  });
}
