// A certificate authority follows another on a whole hub, with agents on real links.
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
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
import { createAuthority, createCsr, describeCertificate } from "@fairlead/protocol/x509";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { call, enroll, openSocket, openTestHub, readRefusal, type TestHub } from "../../hub.fixture.ts";

let harness: TestHub;
beforeEach(async () => {
  harness = await openTestHub({ args: ["--log-level", "warn"] });
}, 60_000);
afterEach(() => harness[Symbol.asyncDispose]());

interface RollingAgent {
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
async function startRollingAgent(
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
    void renew(agent);
  });
  void agent.link.closed.then((end) => {
    agent.end = end;
  });
  await hello(agent.link, cluster, cluster, knowsOfRollover ? [capabilities.renewSoon] : []);
  return agent;
}

async function hello(link: Link, cluster: string, instance = cluster, able: string[] = []): Promise<void> {
  await createClient(LinkService, createLinkTransport({ link })).hello({
    cluster,
    agentInstanceId: instance,
    agentVersion: "0.1.0",
    protocolVersions: [1],
    sentAtMs: BigInt(Date.now()),
    capabilities: able,
  });
}

async function dialWith(
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

async function renew(agent: RollingAgent, { confirms = true } = {}): Promise<void> {
  const client = createClient(IdentityService, createLinkTransport({ link: agent.link }));
  const { csrDer } = await createCsr({ keyPem: agent.key });
  const answer = await client.renew({ csrDer: Uint8Array.from(csrDer) });
  agent.cert = answer.certificateChainPem;
  agent.ca = answer.caPem;
  if (confirms) await client.confirm({ serial: describeCertificate(agent.cert).serial });
  agent.renewals++;
}

async function ca(
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

const statusOf = async (): Promise<CaStatus> => (await ca("")).json;
const isSignedBy = (cert: string, caPem: string): boolean =>
  new X509Certificate(cert).verify(new X509Certificate(caPem).publicKey);

/** Whether a client that trusts only this CA takes the listener for the hub. */
async function trusts(url: string, caPem: string): Promise<boolean> {
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
const split = (pem: string): string[] => pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n?/g) ?? [];

describe("a rollover", () => {
  it("takes eighty agents from one authority to the other without losing a link", async () => {
    const count = 80;
    const agents: RollingAgent[] = [];
    for (let index = 0; index < count; index += 8) {
      const some = Array.from({ length: 8 }, (_, at) => startRollingAgent(`c${index + at}`));
      agents.push(...(await Promise.all(some)));
    }
    const old = harness.hub.caPem;
    expect(await statusOf()).toMatchObject({ state: "single", authorities: [{ use: "current", agents: count }] });

    const rotated = await ca("/rotate");
    expect([rotated.status, rotated.json]).toMatchObject([200, { state: "overlapping" }]);
    await expect.poll(() => agents.filter(({ renewals }) => renewals > 0).length, { timeout: 120_000 }).toBe(count);
    await expect.poll(statusOf).toMatchObject({
      state: "overlapping",
      authorities: [
        { use: "leaving", agents: 0, clusters: [] },
        { use: "coming", agents: count },
      ],
    });
    const [first = "", second = ""] = split(harness.hub.caPem);
    expect(first.trim()).toBe(old.trim());
    expect(agents.every(({ cert }) => isSignedBy(cert, second))).toBe(true);
    expect(agents.every((agent) => agent.ca === harness.hub.caPem)).toBe(true);

    expect((await ca("/retire")).json).toMatchObject({
      state: "single",
      authorities: [{ use: "current", agents: count }],
    });
    expect(harness.hub.caPem.trim()).toBe(second.trim());
    expect(agents.map(({ end }) => end).filter((end) => end !== undefined)).toEqual([]);
    expect(agents.every(({ link }) => link.state === "up")).toBe(true);
    // Their next links stand on what they got.
    const [agent] = agents;
    if (!agent) throw new Error("no agents");
    (await dialWith(agent)).close("seen");
    for (const { link } of agents) link.close("done");
  });

  it("shows both listeners' certificates by the old authority until it is retired, by the new one from then on", async () => {
    const { hub } = harness;
    const old = hub.caPem;
    await ca("/rotate");
    const [, coming = ""] = split(hub.caPem);
    for (const url of [hub.peopleUrl, hub.agentUrl]) {
      expect([await trusts(url, old), await trusts(url, hub.caPem), await trusts(url, coming)]).toEqual([
        true,
        true,
        false,
      ]);
    }
    await ca("/retire");
    for (const url of [hub.peopleUrl, hub.agentUrl]) {
      expect([await trusts(url, old), await trusts(url, coming)]).toEqual([false, true]);
    }
  });

  it("asks agents that were away when they come back", async () => {
    const { cert = "", key = "" } = await enroll("late", harness);
    const old = harness.hub.caPem;
    await ca("/rotate");
    const asked = Promise.withResolvers<void>();
    const link = await dialWith({ cert, key, ca: old }, asked.resolve);
    await hello(link, "late", "late", [capabilities.renewSoon]);
    await asked.promise;
    link.close("done");
  });

  it("leaves agents alone that don't know of it, and counts them as renewed once they show the new certificate", async () => {
    const agent = await startRollingAgent("older", { knowsOfRollover: false });
    await ca("/rotate");
    expect(agent.asked).toBe(0);
    await renew(agent, { confirms: false });
    expect((await ca("/retire")).json).toMatchObject({ code: "CA_STILL_NEEDED" });
    (await dialWith(agent)).close("seen");
    await expect.poll(async () => (await statusOf()).authorities[0]?.agents).toBe(0);
    expect((await ca("/retire")).status).toBe(200);
    expect(agent.end).toBeUndefined();
    agent.link.close("done");
  });

  it("enrolls new agents under the new authority, by tokens of before and of now", async () => {
    await ca("/rotate");
    const [, coming = ""] = split(harness.hub.caPem);
    const { cert = "" } = await enroll("fresh", harness);
    expect(isSignedBy(cert, coming)).toBe(true);
    expect((await statusOf()).authorities).toMatchObject([{ agents: 0 }, { agents: 1, clusters: ["fresh"] }]);
  });

  it("isn't begun twice, nor ended when there is none", async () => {
    expect(await ca("/retire")).toMatchObject({ status: 409, json: { code: "PKI_NOTHING_TO_RETIRE" } });
    await ca("/rotate");
    expect(await ca("/rotate")).toMatchObject({ status: 409, json: { code: "PKI_ROLLOVER_UNDER_WAY" } });
    expect(await ca("/retire", { forced: true })).toMatchObject({ status: 400, json: { code: "CA_REQUEST_INVALID" } });
  });

  it("is on record", async () => {
    await ca("/rotate");
    await ca("/retire");
    const { json } = await call(harness.hub.peopleUrl, "/api/v1/audit?limit=10", { headers: harness.admin });
    const { items } = json as { items: { attributes?: { resource?: string; subresource?: string } }[] };
    const said = JSON.stringify(items);
    expect(said).toContain("/api/v1/ca/rotate");
    expect(said).toContain("/api/v1/ca/retire");
  });
});

describe("retiring", () => {
  it("neither waits for a link that drains, as its agent has a newer one, nor cuts it", async () => {
    const agent = await startRollingAgent("moving", { knowsOfRollover: false });
    const before = agent.link;
    agent.link = await dialWith(agent);
    await hello(agent.link, "moving");
    await ca("/rotate");
    await renew(agent);
    expect((await ca("/retire")).status).toBe(200);
    await before.ping({ signal: AbortSignal.timeout(60_000) });
    expect([before.state, agent.link.state]).toEqual(["up", "up"]);
    for (const link of [before, agent.link]) link.close("done");
  });

  it("waits for a live link that stands on the old authority, though another agent with the same key has renewed", async () => {
    const agent = await startRollingAgent("replica", { knowsOfRollover: false });
    const behind = await dialWith(agent);
    await hello(behind, "replica", "another");
    await ca("/rotate");
    await renew(agent);
    expect((await ca("/retire")).json).toMatchObject({ code: "CA_STILL_NEEDED" });
    behind.close("restarted");
    await expect.poll(async () => (await ca("/retire")).status).toBe(200);
    agent.link.close("done");
  });

  it("is refused while an agent goes by the old authority, and names its cluster; forced, its link is cut and it is refused", async () => {
    const agent = await startRollingAgent("behind", { knowsOfRollover: false });
    const old = harness.hub.caPem;
    await ca("/rotate");
    const refused = await ca("/retire");
    expect(refused).toMatchObject({ status: 409, json: { code: "CA_STILL_NEEDED" } });
    expect(JSON.stringify(refused.json)).toContain("behind");
    expect(agent.link.state).toBe("up");

    expect((await ca("/retire", { force: true })).status).toBe(200);
    expect(await agent.link.closed).toMatchObject({ text: "certificate authority retired" });
    await expect(dialWith({ ...agent, ca: old })).rejects.toThrow();
    const { json } = await readRefusal(openSocket({ cert: agent.cert, key: agent.key }, harness));
    expect(json).toMatchObject({ code: "IDENTITY_UNKNOWN" });
  });

  it("doesn't wait for agents that are revoked", async () => {
    await enroll("gone", harness);
    await ca("/rotate");
    await call(harness.hub.peopleUrl, "/api/v1/clusters/gone/revoke", { method: "POST", headers: harness.admin });
    expect((await ca("/retire")).status).toBe(200);
  });
});

it("a forged authority of the same name signs nobody in, whichever state the hub is in", async () => {
  const { cert = "", key = "" } = await enroll("real", harness);
  const forged = await createAuthority({ commonName: "Fairlead hub CA", days: 1 });
  const { csrDer } = await createCsr({ keyPem: key });
  const [uri] = describeCertificate(cert).identities;
  const { certPem } = await forged.issueAgentCertificate({
    csrDer,
    trustDomain: uri?.trustDomain ?? "",
    cluster: "real",
    roles: ["proxy"],
    ttlMs: 600_000,
  });
  for (const act of ["", "/rotate"] as const) {
    await ca(act);
    const { json } = await readRefusal(openSocket({ cert: certPem, key }, harness));
    expect(json).toMatchObject({ code: "IDENTITY_UNKNOWN" });
  }
});
