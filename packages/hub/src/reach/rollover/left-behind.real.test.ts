// Those who aren't there while one authority follows another, those who shouldn't be, and a thief of the old key.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer } from "node:tls";
import { capabilities } from "@fairlead/protocol";
import { type Authority, createCsr, describeCertificate, loadAuthority } from "@fairlead/protocol/x509";
import { describe, expect, it } from "vitest";
import { call, enroll, enrollWith, openSocket, readRefusal } from "../../hub.fixture.ts";
import {
  ca,
  dataDir,
  dialWith,
  harness,
  hello,
  renew,
  split,
  startRollingAgent,
  statusOf,
  trusts,
  useRollingHub,
} from "./rolling-agents.fixture.ts";

useRollingHub();

describe("an agent that was away while the old authority was retired", () => {
  it("is asked to renew when it comes back, so that it trusts the new one alone, and not again", async () => {
    const agent = await startRollingAgent("away");
    await ca("/rotate");
    await expect.poll(() => agent.ca, patient).toBe(harness.hub.caPem);
    agent.link.close("away");
    await expect.poll(async () => (await statusOf()).authorities[0]?.agents, patient).toBe(0);
    expect((await ca("/retire")).status).toBe(200);
    expect(split(agent.ca)).toHaveLength(2);

    const { asked } = agent;
    const returnTo = async (): Promise<void> => {
      agent.link = await dialWith(agent, () => {
        agent.asked++;
        renew(agent).catch(() => undefined);
      });
      await hello(agent.link, "away", "away", [capabilities.renewSoon]);
    };
    // Certificates' times are whole seconds.
    await sleep(1_100);
    await returnTo();
    await expect.poll(() => agent.ca.trim(), patient).toBe(harness.hub.caPem.trim());
    agent.link.close("away again");
    await returnTo();
    await agent.link.ping({ signal: AbortSignal.timeout(60_000) });
    expect(agent.asked).toBe(asked + 1);
    agent.link.close("done");
  });

  it("hears what is the matter when it slept through all of it, and comes back by a new token", async () => {
    const { cert = "", key = "" } = await enroll("sleeper", harness);
    const old = harness.hub.caPem;
    await ca("/rotate");
    expect((await ca("/retire", { force: true })).status).toBe(200);
    // By what it trusts the hub isn't its hub, and whatever it would say to one that it doesn't check, it is nobody.
    await expect(dialWith({ cert, key, ca: old })).rejects.toMatchObject({
      code: expect.stringMatching(
        /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY/,
      ),
    });
    expect((await readRefusal(openSocket({ cert, key }, harness))).json).toMatchObject({ code: "IDENTITY_UNKNOWN" });
    const { json } = await call(harness.hub.peopleUrl, "/api/v1/clusters/sleeper/tokens", {
      method: "POST",
      headers: { ...harness.admin, "content-type": "application/json" },
      body: "{}",
    });
    const fresh = await enrollWith((json as { token: string }).token, harness);
    (await dialWith({ cert: fresh.cert ?? "", key: fresh.key ?? "", ca: harness.hub.caPem })).close("seen");
  });
});

describe("a revoked agent", () => {
  it("stays out under both authorities, and under the new one when it is alone", async () => {
    const agent = await startRollingAgent("gone", { knowsOfRollover: false });
    const before = { cert: agent.cert, key: agent.key };
    await ca("/rotate");
    await renew(agent);
    const after = { cert: agent.cert, key: agent.key };
    await call(harness.hub.peopleUrl, "/api/v1/clusters/gone/revoke", { method: "POST", headers: harness.admin });
    await agent.link.closed;
    for (const identity of [before, after]) {
      expect((await readRefusal(openSocket(identity, harness))).json).toMatchObject({ code: "IDENTITY_REVOKED" });
    }
    expect((await ca("/retire")).status).toBe(200);
    expect((await readRefusal(openSocket(before, harness))).json).toMatchObject({ code: "IDENTITY_UNKNOWN" });
    expect((await readRefusal(openSocket(after, harness))).json).toMatchObject({ code: "IDENTITY_REVOKED" });
  });
});

describe("the key of a retired authority", () => {
  it("signs nobody in, whatever serial number and key of a good certificate it copies", async () => {
    const agent = await startRollingAgent("stolen");
    const thief = await readAuthority();
    const forge = async (keyPem?: string): Promise<{ cert: string; key: string }> => {
      const { csrDer, keyPem: key } = await createCsr(keyPem === undefined ? {} : { keyPem });
      const { trustDomain } = describeCertificate(agent.cert).identities[0] ?? { trustDomain: "" };
      const wanted = { csrDer, trustDomain, cluster: "stolen", roles: ["proxy"] as const, ttlMs: 600_000 };
      return { cert: (await thief.issueAgentCertificate(wanted)).certPem, key };
    };
    const forged = [await forge(), await forge(agent.key)];
    await ca("/rotate");
    await expect.poll(() => agent.ca, patient).toBe(harness.hub.caPem);
    for (const identity of forged) {
      expect((await readRefusal(openSocket(identity, harness))).json).toMatchObject({ code: "IDENTITY_UNKNOWN" });
    }
    await expect.poll(async () => (await statusOf()).authorities[0]?.agents, patient).toBe(0);
    await ca("/retire");
    for (const identity of [...forged, await forge(agent.key)]) {
      expect((await readRefusal(openSocket(identity, harness))).json).toMatchObject({ code: "IDENTITY_UNKNOWN" });
    }
    // Nor is its certificate what an agent takes for the hub's.
    const { certPem, keyPem } = await thief.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 600_000 });
    await expect.poll(() => split(agent.ca), patient).toHaveLength(1);
    const posing = createServer({ cert: certPem, key: keyPem }, (socket) => socket.on("error", () => undefined));
    posing.listen(0, "127.0.0.1");
    await once(posing, "listening");
    const { port } = posing.address() as AddressInfo;
    expect(await trusts(`https://127.0.0.1:${port}`, agent.ca)).toBe(false);
    posing.close();
    agent.link.close("done");
  });
});

/** The authority as a thief of the hub's data folder has it. */
async function readAuthority(): Promise<Authority> {
  const read = (name: string): Promise<string> => readFile(join(dataDir, "pki", name), "utf8");
  return await loadAuthority({ certPem: await read("ca.pem"), keyPem: await read("ca.key") });
}

const patient = { timeout: 60_000 };
