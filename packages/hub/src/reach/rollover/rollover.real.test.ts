// A certificate authority follows another on a whole hub, with agents on real links.
import { X509Certificate } from "node:crypto";
import { capabilities } from "@fairlead/protocol";
import { createAuthority, createCsr, describeCertificate } from "@fairlead/protocol/x509";
import { describe, expect, it } from "vitest";
import { call, enroll, openSocket, readRefusal } from "../../hub.fixture.ts";
import {
  ca,
  dialWith,
  harness,
  hello,
  type RollingAgent,
  renew,
  split,
  startRollingAgent,
  statusOf,
  trusts,
  useRollingHub,
} from "./rolling-agents.fixture.ts";

useRollingHub();

const isSignedBy = (cert: string, caPem: string): boolean =>
  new X509Certificate(cert).verify(new X509Certificate(caPem).publicKey);

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
    // Whoever has stolen the old key poses as the hub to nobody any more.
    await expect.poll(() => agents.filter(({ ca }) => ca.trim() !== second.trim()), { timeout: 120_000 }).toEqual([]);
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
