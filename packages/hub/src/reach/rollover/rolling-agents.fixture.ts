// Agents on real links to a whole hub whose certificate authority changes.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "node:tls";
import { createClient } from "@connectrpc/connect";
import type { CaStatus } from "@fairlead/contract";
import {
  attachLink,
  capabilities,
  createLinkTransport,
  createRpcAcceptor,
  IdentityService,
  type Link,
  LinkService,
  linkPath,
  linkSocketOptions,
  linkSubprotocol,
  RenewalService,
} from "@fairlead/protocol";
import { createCsr, describeCertificate } from "@fairlead/protocol/x509";
import { afterEach, beforeEach } from "vitest";
import { WebSocket } from "ws";
import { call, enroll, openTestHub, type TestHub } from "../../hub.fixture.ts";

/** The hub of the test that runs. */
export let harness: TestHub;
/** Where it keeps its authorities. */
export let dataDir: string;

/** Opens one for each test. */
export function useRollingHub(): void {
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "fairlead-rollover-"));
    harness = await openTestHub({ args: ["--log-level", "warn"], config: { inMemory: false, dataDir } });
  }, 60_000);
  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });
}

export interface RollingAgent {
  readonly cluster: string;
  link: Link;
  cert: string;
  ca: string;
  readonly key: string;
  /** How often it was asked to renew. */
  asked: number;
  renewals: number;
  /** The link's end, when it has one. */
  end: unknown;
}

/** An agent that renews when it is asked to, at once, as the real one does after its wait. */
export async function startRollingAgent(
  cluster: string,
  options: { readonly knowsOfRollover?: boolean } = {},
): Promise<RollingAgent> {
  const { knowsOfRollover = true } = options;
  const { cert = "", key = "" } = await enroll(cluster, harness);
  const agent: RollingAgent = {
    cluster,
    cert,
    key,
    ca: harness.hub.caPem,
    asked: 0,
    renewals: 0,
    end: undefined,
    link: undefined as unknown as Link,
  };
  agent.link = await dialWith(agent, () => {
    agent.asked++;
    void renewInTime(agent);
  });
  void agent.link.closed.then((end) => {
    agent.end = end;
  });
  await hello(agent.link, cluster, cluster, knowsOfRollover ? [capabilities.renewSoon] : []);
  return agent;
}

export async function hello(link: Link, cluster: string, instance = cluster, able: string[] = []): Promise<void> {
  await createClient(LinkService, createLinkTransport({ link })).hello({
    cluster,
    agentInstanceId: instance,
    agentVersion: "0.1.0",
    protocolVersions: [1],
    sentAtMs: BigInt(Date.now()),
    capabilities: able,
  });
}

export async function dialWith(
  { cert, key, ca }: Pick<RollingAgent, "cert" | "key" | "ca">,
  onAsked: () => void = () => undefined,
): Promise<Link> {
  const url = harness.hub.agentUrl.replace("https:", "wss:") + linkPath;
  const socket = new WebSocket(url, linkSubprotocol, { ...linkSocketOptions, cert, key, ca });
  await once(socket, "open");
  const accept = createRpcAcceptor({
    routes: (router) => {
      router.service(RenewalService, {
        renewSoon() {
          onAsked();
          return {};
        },
      });
    },
  });
  return attachLink({ socket, accept });
}

/** Tries again, as agents do: the hub's database may be busy. Gives up when a test closes the link. */
async function renewInTime(agent: RollingAgent): Promise<void> {
  while (agent.end === undefined) {
    const isRenewed = await renew(agent).then(
      () => true,
      () => false,
    );
    if (isRenewed) return;
    await pause(1_000);
  }
}

export async function renew(agent: RollingAgent, { confirms = true } = {}): Promise<void> {
  const client = createClient(IdentityService, createLinkTransport({ link: agent.link }));
  const { csrDer } = await createCsr({ keyPem: agent.key });
  const answer = await client.renew({ csrDer: Uint8Array.from(csrDer) });
  agent.cert = answer.certificateChainPem;
  agent.ca = answer.caPem;
  if (confirms) await client.confirm({ serial: describeCertificate(agent.cert).serial });
  agent.renewals++;
}

export async function ca(
  act: "" | "/rotate" | "/retire",
  body?: object,
): Promise<{ status: number | undefined; json: never }> {
  const options = body && {
    body: JSON.stringify(body),
    headers: { ...harness.admin, "content-type": "application/json" },
  };
  const method = act === "" ? "GET" : "POST";
  const answer = await call(harness.hub.peopleUrl, `/api/v1/ca${act}`, { method, headers: harness.admin, ...options });
  return { status: answer.status, json: answer.json as never };
}

export const statusOf = async (): Promise<CaStatus> => (await ca("")).json;

/** Tells whether a client that trusts only this CA takes the listener for the hub. */
export async function trusts(url: string, caPem: string): Promise<boolean> {
  const { port } = new URL(url);
  const socket = connect({ host: "127.0.0.1", port: Number(port), ca: caPem });
  try {
    await once(socket, "secureConnect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The certificates in a bundle, in its order. */
export const split = (pem: string): string[] => pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n?/g) ?? [];
