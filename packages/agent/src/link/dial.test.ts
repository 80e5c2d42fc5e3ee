import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { systemClock } from "@fairlead/kernel";
import {
  acceptLink,
  createLinkBudget,
  LinkSessions,
  linkPath,
  linkServerOptions,
  receiveSocket,
} from "@fairlead/protocol";
import { createAuthority, createCsr, describeCertificate } from "@fairlead/protocol/x509";
import { afterEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import type { IssuedIdentity } from "../identity/index.ts";
import { dialLink } from "./dial.ts";
import { createSpareConnection, type SpareConnection } from "./spare-connection.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

async function startHub(onUpgrade: OnUpgrade): Promise<{ hub: URL; identity: IssuedIdentity }> {
  const authority = await createAuthority({ commonName: "hub", days: 1 });
  const { certPem, keyPem } = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 3_600_000 });
  const server = createServer(
    { cert: certPem, key: keyPem, ca: authority.caPem, requestCert: true, rejectUnauthorized: false },
    (_, response) => void response.writeHead(404).end(),
  );
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => undefined);
    onUpgrade(request, socket, head);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.closeAllConnections());
  cleanups.push(() => server.close());
  const csr = await createCsr();
  const leaf = await authority.issueAgentCertificate({
    csrDer: csr.csrDer,
    trustDomain: "test",
    cluster: "east",
    roles: ["proxy"],
    ttlMs: 60_000,
  });
  return {
    hub: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    identity: {
      keyPem: csr.keyPem,
      tokenId: "t",
      cluster: "east",
      roles: ["proxy"],
      certificateChainPem: leaf.certPem,
      caPem: authority.caPem,
    },
  };
}

function dial(
  target: { hub: URL; identity: IssuedIdentity },
  options: { signal?: AbortSignal; spare?: SpareConnection } = {},
): ReturnType<typeof dialLink> {
  return dialLink({
    route: { hub: target.hub },
    identity: target.identity,
    accept: () => ignored,
    budget: createLinkBudget({ totalBytes: 1024 * 1024 }),
    clock: systemClock,
    ...options,
    timeoutMs: 2_000,
  });
}

const ignored = { onData() {}, onEnd() {}, onReset() {} };

function refuse(status: number, body: object): OnUpgrade {
  const text = JSON.stringify(body);
  return (_, socket) =>
    void socket.end(
      `HTTP/1.1 ${status} No\r\nContent-Type: application/problem+json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
}

test("the agent shows its certificate, asks for the subprotocol, and gets a link that answers pings", async () => {
  const server = new WebSocketServer(linkServerOptions);
  let peer = "";
  const target = await startHub((request, socket, head) => {
    expect(request.url).toBe(linkPath);
    const tls = socket as TLSSocket;
    peer = `${tls.authorized} ${describeCertificate(tls.getPeerCertificate().raw).identities[0]?.cluster}`;
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const link = acceptLink({ socket: webSocket, accept: () => ignored });
      cleanups.push(() => link.close("done"));
    });
  });
  const link = await dial(target);
  expect(await link.ping()).toBeGreaterThanOrEqual(0);
  expect(peer).toBe("true east");
  link.close("done");
});

test("a link begins on the connection that the last one left, unless the certificate is another one by now", async () => {
  const server = new WebSocketServer(linkServerOptions);
  let upgrades = 0;
  const target = await startHub((request, socket, head) => {
    upgrades++;
    server.handleUpgrade(request, socket, head, (webSocket) => {
      cleanups.push(() => webSocket.terminate());
      let sessions = new LinkSessions();
      receiveSocket({
        socket: webSocket,
        sessions,
        clock: systemClock,
        timeoutMs: 5_000,
        mayResume: () => true,
        onLink(first) {
          const link = acceptLink({ socket: webSocket, sessions, first, accept: () => ignored });
          // Another hub from the next connection on.
          sessions = new LinkSessions();
          cleanups.push(() => link.close("done"));
        },
        onResumed: () => undefined,
        onRefused: () => undefined,
        onBroken: () => undefined,
      });
      sockets.push(webSocket);
    });
  });
  const sockets: WebSocket[] = [];
  const spare = createSpareConnection();
  for (const [isRenewed, dialled] of [
    [false, 2],
    [true, 3],
  ] as const) {
    upgrades = 0;
    const lost = await dial(target, { spare });
    await lost.ping();
    sockets.at(-1)?.terminate();
    await lost.closed;
    const identity = {
      ...target.identity,
      ...(isRenewed && { certificateChainPem: `${target.identity.certificateChainPem}\n` }),
    };
    const next = await dial({ ...target, identity }, { spare });
    await next.ping();
    expect(upgrades).toBe(dialled);
    next.close("done");
  }
});

test("the hub's refusal at the upgrade keeps its code, sentence and hint", async () => {
  const problem = { code: "IDENTITY_REVOKED", detail: "It was revoked.", hint: "New token.", status: 403 };
  const target = await startHub(refuse(403, problem));
  await expect(dial(target)).rejects.toMatchObject({
    code: "IDENTITY_REVOKED",
    message: "It was revoked.",
    hint: "New token.",
    httpStatus: 403,
    retryable: false,
  });
});

test("an answer that isn't the hub's is said as such, whatever code it claims", async () => {
  for (const body of [{}, { code: "<b>x</b>" }, { code: 5 }]) {
    const target = await startHub(refuse(502, body));
    await expect(dial(target)).rejects.toMatchObject({ code: "LINK_NOT_A_HUB", retryable: true });
  }
});

test("a server that doesn't take the subprotocol isn't a hub of this kind", async () => {
  const server = new WebSocketServer({ noServer: true, handleProtocols: () => false });
  const target = await startHub((request, socket, head) =>
    server.handleUpgrade(request, socket, head, () => undefined),
  );
  await expect(dial(target)).rejects.toMatchObject({ code: "LINK_SUBPROTOCOL_REFUSED" });
});

test("a hub that never answers the upgrade is given up, and stopping gives up at once", async () => {
  const target = await startHub(() => undefined);
  await expect(dial(target)).rejects.toMatchObject({ code: "LINK_UNREACHABLE" });
  const stop = new AbortController();
  const dialled = dial(target, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("stopping")), 100);
  await expect(dialled).rejects.toThrow("stopping");
});
