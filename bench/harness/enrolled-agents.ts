// Agents as a hub sees them, without a cluster behind them: each with its own name, key and certificate.
import { type ConnectionOptions, createSecureContext, type SecureContext } from "node:tls";
import { createClient } from "@connectrpc/connect";
import {
  createLinkTransport,
  type Link,
  LinkService,
  linkPath,
  linkSocketOptions,
  linkSubprotocol,
  protocolVersions,
  type Role,
} from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import type { TestHub } from "@fairlead/testkit";
import { Pool } from "undici";
import { type ClientOptions, WebSocket } from "ws";

export interface EnrolledAgent {
  readonly cluster: string;
  readonly roles: readonly Role[];
  readonly keyPem: string;
  readonly certPem: string;
  /** Where its connections come from: each agent has an address of its own, as in a network. */
  readonly localAddress: string;
}

export async function enrollAgents(options: {
  hub: TestHub;
  count: number;
  /** The number of the first one: no two of a network have the same. */
  from?: number;
  prefix: string;
  roles: readonly Role[];
  say: (text: string) => void;
}): Promise<EnrolledAgent[]> {
  const { hub, count, from = 0, prefix, roles, say } = options;
  const people = new Pool(hub.url, { connections: 8, connect: { ca: hub.caPem } });
  const agentListener = new Pool(hub.agentUrl, { connections: 8, connect: { ca: hub.caPem } });
  const agents: EnrolledAgent[] = [];
  const end = from + count;
  let next = from;
  await Promise.all(Array.from({ length: 8 }, enrollSome));
  await Promise.all([people.close(), agentListener.close()]);
  return agents;

  async function enrollSome(): Promise<void> {
    for (let i = next++; i < end; i = next++) {
      if (i % 200 === 0) say(`enrolling agent ${i + 1} of ${end}`);
      const cluster = `${prefix}-${i}`;
      const headers = { "content-type": "application/json", authorization: `Bearer ${hub.adminToken}` };
      const added = await post(people, "/api/v1/clusters", { name: cluster, roles }, headers);
      const { token } = (added as { join: { token: string } }).join;
      const { keyPem, csrDer } = await createCsr();
      const csr = Buffer.from(csrDer).toString("base64");
      const request = { token, csrDer: csr, roles, agentVersion: "bench" };
      const answer = (await post(agentListener, "/agent/v1/enroll", request)) as { certificateChainPem: string };
      const localAddress = `127.${1 + (i >> 16)}.${(i >> 8) & 255}.${i & 255 || 1}`;
      agents.push({ cluster, roles, keyPem, certPem: answer.certificateChainPem, localAddress });
    }
  }
}

async function post(pool: Pool, path: string, content: object, headers = { "content-type": "application/json" }) {
  const { statusCode, body } = await pool.request({ method: "POST", path, headers, body: JSON.stringify(content) });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`POST ${path} was answered ${statusCode}: ${text}`);
  return JSON.parse(text) as unknown;
}

/** False, and the link is closed, when the hub doesn't answer. */
export async function sayHello(link: Link, { cluster, roles }: EnrolledAgent): Promise<boolean> {
  const { hello } = createClient(LinkService, createLinkTransport({ link }));
  const facts = { cluster, agentInstanceId: cluster, agentVersion: "bench", protocolVersions: [...protocolVersions] };
  try {
    await hello({ ...facts, roles: [...roles], sentAtMs: BigInt(Date.now()) }, { timeoutMs: 20_000 });
    return true;
  } catch {
    link.close("no answer to the hello");
    return false;
  }
}

/** Undefined when there is no connection. */
export function dialHub(
  agent: EnrolledAgent,
  hub: Pick<TestHub, "agentUrl" | "caPem">,
): Promise<WebSocket | undefined> {
  const url = `${hub.agentUrl.replace("https:", "wss:")}${linkPath}`;
  const options: ClientOptions & Pick<ConnectionOptions, "secureContext"> = {
    ...linkSocketOptions,
    secureContext: contextOf(agent, hub.caPem),
    localAddress: agent.localAddress,
    handshakeTimeout: 15_000,
  };
  const socket = new WebSocket(url, linkSubprotocol, options);
  return new Promise((resolve) => {
    socket.once("open", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

const contexts = new WeakMap<EnrolledAgent, SecureContext>();

/** Read once: an agent has a process of its own for that. */
export function contextOf(agent: EnrolledAgent, ca: string): SecureContext {
  const known = contexts.get(agent);
  if (known !== undefined) return known;
  const context = createSecureContext({ ca, cert: agent.certPem, key: agent.keyPem, minVersion: "TLSv1.3" });
  contexts.set(agent, context);
  return context;
}
