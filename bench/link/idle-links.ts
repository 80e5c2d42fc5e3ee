// A thousand clusters, each with its own name, key and certificate, on one hub: what an idle link costs, and how long
// it takes until all are back after the hub was killed. The agents live in this process and reconnect by the agent's
// own rule: at once, then full jitter from 0.5 s, to 8 s in the first minute of an outage.
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { Backoff } from "@fairlead/kernel";
import {
  attachLink,
  createLinkTransport,
  type Link,
  LinkService,
  linkPath,
  linkSocketOptions,
  linkSubprotocol,
  protocolVersions,
  resetCodes,
} from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import { startHub, type TestHub, waitUntil } from "@fairlead/testkit";
import { Pool } from "undici";
import { WebSocket } from "ws";
import { readResidentBytes } from "../harness/memory.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";

const settleMs = 20_000;

interface IdleAgent {
  readonly cluster: string;
  readonly keyPem: string;
  readonly certPem: string;
  link: Link | undefined;
}

export async function measureIdleLinks(options: { count: number; say: (text: string) => void }): Promise<Row[]> {
  const { count, say } = options;
  await using hub = await startHub();
  const agents = await enrollAgents(hub, count, say);
  // A hub without the garbage of a thousand enrollments.
  await hub.stop();
  await hub.start();
  await delay(settleMs);
  const before = readResidentBytes(hub.process.pid);
  const stop = new AbortController();
  const keeping = agents.map((agent) => keepConnected({ agent, hub, signal: stop.signal }));
  const areConnected = () => agents.every((agent) => agent.link !== undefined);
  await expectSoon(`${count} links are up`, areConnected);
  // What the handshakes left behind isn't the links' cost: V8 collects it after some idle seconds.
  await delay(settleMs);
  const perLinkKiB = (readResidentBytes(hub.process.pid) - before) / 1024 / count;

  say(`killing the hub under ${count} links`);
  await hub.stop("KILL");
  await expectSoon("all links are seen to be gone", () => agents.every((agent) => agent.link === undefined));
  await hub.start();
  const start = performance.now();
  await expectSoon("all links are back", areConnected);
  const stormSeconds = (performance.now() - start) / 1000;
  stop.abort();
  await Promise.all(keeping);
  return [
    {
      name: `hub memory per idle link (${count})`,
      unit: "KiB",
      figures: { fairlead: perLinkKiB },
      targets: [atMost(perLinkKiB, 100, "KiB")],
    },
    {
      name: `${count} agents back after the hub is up again`,
      unit: "s",
      figures: { fairlead: stormSeconds },
      targets: [atMost(stormSeconds, 15, "s")],
    },
  ];
}

async function enrollAgents(hub: TestHub, count: number, say: (text: string) => void): Promise<IdleAgent[]> {
  const people = new Pool(hub.url, { connections: 8, connect: { ca: hub.caPem } });
  const agentListener = new Pool(hub.agentUrl, { connections: 8, connect: { ca: hub.caPem } });
  const agents: IdleAgent[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: 8 }, enrollSome));
  await Promise.all([people.close(), agentListener.close()]);
  return agents;

  async function enrollSome(): Promise<void> {
    for (let i = next++; i < count; i = next++) {
      if (i % 200 === 0) say(`enrolling agent ${i + 1} of ${count}`);
      const headers = { "content-type": "application/json", authorization: `Bearer ${hub.adminToken}` };
      const added = await post(people, "/api/v1/clusters", { name: `idle-${i}` }, headers);
      const { token } = (added as { join: { token: string } }).join;
      const { keyPem, csrDer } = await createCsr();
      const csr = Buffer.from(csrDer).toString("base64");
      const request = { token, csrDer: csr, roles: ["proxy"], agentVersion: "bench" };
      const answer = (await post(agentListener, "/agent/v1/enroll", request)) as { certificateChainPem: string };
      agents.push({ cluster: `idle-${i}`, keyPem, certPem: answer.certificateChainPem, link: undefined });
    }
  }
}

async function post(pool: Pool, path: string, content: object, headers = { "content-type": "application/json" }) {
  const { statusCode, body } = await pool.request({ method: "POST", path, headers, body: JSON.stringify(content) });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`POST ${path} was answered ${statusCode}: ${text}`);
  return JSON.parse(text) as unknown;
}

async function keepConnected(options: { agent: IdleAgent; hub: TestHub; signal: AbortSignal }): Promise<void> {
  const { agent, hub, signal } = options;
  const backoff = new Backoff({ baseMs: 500, maxMs: 8_000 });
  while (!signal.aborted) {
    await delay(backoff.nextMs(), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const socket = await dial(agent, hub);
    if (!socket) continue;
    const link = attachLink({ socket, accept: refuse });
    if (!(await sayHello(link, agent))) continue;
    agent.link = link;
    backoff.reset();
    const close = () => link.close("the benchmark is over");
    signal.addEventListener("abort", close, { once: true });
    await link.closed;
    signal.removeEventListener("abort", close);
    agent.link = undefined;
  }
}

async function sayHello(link: Link, { cluster }: IdleAgent): Promise<boolean> {
  const { hello } = createClient(LinkService, createLinkTransport({ link }));
  const facts = { cluster, agentInstanceId: cluster, agentVersion: "bench", protocolVersions: [...protocolVersions] };
  try {
    await hello({ ...facts, roles: ["proxy"], sentAtMs: BigInt(Date.now()) }, { timeoutMs: 20_000 });
    return true;
  } catch {
    link.close("no answer to the hello");
    return false;
  }
}

function refuse(): never {
  throw new Error(`an idle agent serves nothing (${resetCodes.refused})`);
}

function dial(agent: IdleAgent, hub: TestHub): Promise<WebSocket | undefined> {
  const url = `${hub.agentUrl.replace("https:", "wss:")}${linkPath}`;
  const socket = new WebSocket(url, linkSubprotocol, {
    ...linkSocketOptions,
    ca: hub.caPem,
    cert: agent.certPem,
    key: agent.keyPem,
    handshakeTimeout: 20_000,
  });
  return new Promise((resolve) => {
    socket.once("open", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

async function expectSoon(what: string, check: () => boolean): Promise<void> {
  if (!(await waitUntil(check, { timeoutMs: 120_000 }))) throw new Error(`waited two minutes in vain until ${what}`);
}
