// Strangers who begin requests and never finish them, and agents who come from the same address.
import { once } from "node:events";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { linkPath, linkSubprotocol } from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { call, enroll, openTestHub, type TestHub, type TestIdentity } from "../../packages/hub/src/hub.fixture.ts";
import { openPki, type Pki } from "../../packages/hub/src/platform/pki/index.ts";
import {
  createListener,
  createTrustedProxies,
  headsOfAgents,
  startListening,
  stopListening,
} from "../../packages/hub/src/platform/server/index.ts";

/** Everyone behind it has it: loopback has many addresses. */
const nat = "127.0.0.9";
const balancer = "127.0.0.10";
const sockets: TLSSocket[] = [];
let harness: TestHub;
let identity: TestIdentity;

beforeAll(async () => {
  harness = await openTestHub({ args: ["--trusted-proxies", balancer, "--unknown-connections", "200"] });
  identity = await enroll("east", harness);
}, 120_000);
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

describe("09: half-sent heads", () => {
  it.each(["agents", "people"] as const)(
    "an address has tens of them with the listener for %s, the oldest make room, and others aren't kept out",
    async (who) => {
      const strangers = await beginHeads(who, 150, nat);
      await expect.poll(() => strangers.filter(({ destroyed }) => !destroyed).length).toBe(64);
      expect(strangers.slice(-64).every(({ destroyed }) => !destroyed)).toBe(true);
      expect((await call(urlOf(who), "/healthz", { localAddress: nat })).status).toBe(who === "people" ? 200 : 404);
      expect((await call(urlOf(who), "/healthz")).status).toBe(who === "people" ? 200 : 404);
    },
  );

  it("a thousand agents of one address keep their connections, while a stranger of theirs begins heads", async () => {
    const pki = await openPki({ trustDomain: "fairlead.test" });
    const { certPem: cert, keyPem: key } = await pki.issueServer({ names: [] });
    const server = createListener({
      tls: { cert, key, ca: pki.caPem, minVersion: "TLSv1.3", requestCert: true, rejectUnauthorized: false },
      // Opening so many takes longer than a head may.
      requestTimeoutMs: 0,
      heads: { ...headsOfAgents, timeoutMs: 300_000 },
      bound: {
        connectionsPerAddress: 8_192,
        unknownConnectionsPerAddress: 64,
        unknownConnections: 1_024,
        trustedProxies: createTrustedProxies([]),
        onRefused: () => undefined,
      },
    });
    const url = `https://127.0.0.1:${await startListening(server, "127.0.0.1:0")}`;
    const agents: TLSSocket[] = [];
    for (let cluster = 0; cluster < 40; cluster++) {
      const identity = await issue(pki, `c-${cluster}`);
      const first = await openTo(url, nat, identity);
      // The others go on with its session, which costs much less than another handshake.
      const [session] = (await once(first, "session")) as [Buffer];
      const others = Array.from({ length: 24 }, () => openTo(url, nat, { ...identity, session }));
      agents.push(first, ...(await Promise.all(others)));
    }
    const strangers = await Promise.all(Array.from({ length: 100 }, () => openTo(url, nat)));
    await expect.poll(() => strangers.filter(({ destroyed }) => !destroyed).length).toBe(64);
    expect(agents.length).toBe(1_000);
    expect(agents.filter(({ destroyed }) => destroyed).length).toBe(0);
    const { closed, cut } = stopListening(server);
    cut();
    await closed;
  });

  it("an agent gets its link, and a new one its certificate, while strangers of their address begin heads", async () => {
    await beginHeads("agents", 64, nat);
    const link = new WebSocket(harness.hub.agentUrl.replace("https:", "wss:") + linkPath, linkSubprotocol, {
      ...identity,
      ca: harness.hub.caPem,
      localAddress: nat,
    });
    await once(link, "open");
    await beginHeads("agents", 64, nat);
    expect(link.readyState).toBe(WebSocket.OPEN);
    link.terminate();
    const enrolling = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      localAddress: nat,
    };
    expect((await call(harness.hub.agentUrl, "/agent/v1/enroll", enrolling)).status).toBe(400);
  });

  it("one certificate has places of its own, and no more than those", async () => {
    const own = await Promise.all(Array.from({ length: 40 }, () => open("agents", nat, identity)));
    await expect.poll(() => own.filter(({ destroyed }) => !destroyed).length).toBe(32);
  });

  it("whoever has made a request in their name keeps the connection, and its place isn't a stranger's", async () => {
    const known = await Promise.all(Array.from({ length: 100 }, () => open("people", nat)));
    await expect.poll(() => known.filter(({ destroyed }) => !destroyed).length).toBe(64);
    const kept = known.filter(({ destroyed }) => !destroyed);
    for (const socket of kept) {
      socket.write(`GET /api/v1/whoami HTTP/1.1\r\nHost: hub\r\nAuthorization: ${harness.admin.authorization}\r\n\r\n`);
      await once(socket, "data");
    }
    await beginHeads("people", 100, nat);
    expect(kept.filter(({ destroyed }) => destroyed)).toEqual([]);
  });

  it("a balancer's strangers are bounded in the sum alone, and its agents get through beside them", async () => {
    const strangers = await beginHeads("agents", 300, balancer);
    await expect.poll(() => strangers.filter(({ destroyed }) => !destroyed).length).toBe(200);
    const agent = await open("agents", balancer, identity);
    await beginHeads("agents", 50, balancer);
    expect(agent.destroyed).toBe(false);
    expect((await call(harness.hub.agentUrl, "/healthz", { localAddress: balancer })).status).toBe(404);
  });

  it("a head is as large as an agent needs and no larger", async () => {
    const headers = { "x-padding": "x".repeat(8 * 1024) };
    const refused = await call(harness.hub.agentUrl, "/agent/v1/enroll", { headers });
    expect([refused.status, refused.text]).toEqual([431, expect.stringContaining("larger than 8 KiB")]);
    expect((await call(harness.hub.peopleUrl, "/healthz", { headers })).status).toBe(200);
  });
});

async function beginHeads(who: "people" | "agents", count: number, from: string): Promise<TLSSocket[]> {
  const begun: TLSSocket[] = [];
  for (let i = 0; i < count; i += 50) {
    const some = await Promise.all(Array.from({ length: Math.min(50, count - i) }, () => open(who, from)));
    for (const socket of some) socket.write(`GET /healthz HTTP/1.1\r\nHost: hub\r\nX: ${"x".repeat(4_096)}`);
    begun.push(...some);
  }
  return begun;
}

function open(who: "people" | "agents", localAddress: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return openTo(urlOf(who), localAddress, options);
}

async function openTo(url: string, localAddress: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(url);
  // The local address isn't among the options that its types know, but handed on.
  const where = { host, port: Number(port), localAddress, ...options };
  const socket = connect({ ...where, rejectUnauthorized: false } as ConnectionOptions);
  sockets.push(socket);
  socket.on("error", () => undefined).resume();
  await once(socket, "secureConnect");
  return socket;
}

async function issue({ issueAgent }: Pki, cluster: string): Promise<TestIdentity> {
  const { keyPem: key, csrDer } = await createCsr({});
  const { certPem: cert } = await issueAgent({ csrDer, cluster, roles: ["observe"], ttlMs: 3_600_000 });
  return { cert, key };
}

function urlOf(who: "people" | "agents"): string {
  return who === "people" ? harness.hub.peopleUrl : harness.hub.agentUrl;
}
