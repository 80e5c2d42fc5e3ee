// The routes in a whole hub, with the client that the CLI has.
import { createHubClient, type HubClient } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, openTestHub, type TestHub } from "../../hub.fixture.ts";
import { fetchFromHub } from "./audit.fixture.ts";

let harness: TestHub;
let client: HubClient;
beforeAll(async () => {
  harness = await openTestHub();
  client = createHubClient({ baseUrl: harness.hub.peopleUrl, token: harness.hub.firstAdminToken, fetch: fetchFromHub });
}, 60_000);
afterAll(() => stop());

let stopped: Promise<void> | undefined;
function stop(): Promise<void> {
  stopped ??= Promise.resolve(harness[Symbol.asyncDispose]());
  return stopped;
}

describe("the hub's own API in the audit records", () => {
  it("is there with every change, by whom, of what, and how it ended", async () => {
    await client.createCluster({ name: "changed" });
    await client.createCluster({ name: "changed" }).catch(() => undefined);
    await client.removeCluster("changed");
    await client.listClusters();

    const { items } = await client.listAudit({ user: "admin", limit: 3 });

    expect(items.map(({ verb, resource, name, status, code }) => [verb, resource, name, status, code])).toEqual([
      ["delete", "clusters", "changed", 204, undefined],
      ["create", "clusters", "changed", 409, "CLUSTER_EXISTS"],
      ["create", "clusters", "changed", 201, undefined],
    ]);
    expect(items[0]).toMatchObject({ from: "127.0.0.1", path: "/api/v1/clusters/changed", cluster: "changed" });
  });

  it("is there with what was refused to nobody known, and without the token", async () => {
    const headers = { authorization: "Bearer fla_canary0123456789", "user-agent": "curl" };
    expect((await call(harness.hub.peopleUrl, "/api/v1/clusters?token=canary", { headers })).status).toBe(401);

    const { items } = await client.listAudit({ user: "unknown" });

    expect(items).toMatchObject([{ status: 401, code: "AUTH_INVALID", userAgent: "curl", path: "/api/v1/clusters" }]);
    expect(JSON.stringify(items)).not.toContain("canary");
  });

  it("says who read it", async () => {
    await client.verifyAudit();

    const { items } = await client.listAudit({ verb: "get", limit: 1 });

    expect(items).toMatchObject([
      { who: { kind: "admin-token" }, resource: "audit", subresource: "verify", status: 200 },
    ]);
  });
});

describe("the audit routes", () => {
  it("need a sign-in and a sane query", async () => {
    expect((await call(harness.hub.peopleUrl, "/api/v1/audit")).status).toBe(401);
    expect((await call(harness.hub.peopleUrl, "/api/v1/audit/stream")).status).toBe(401);
    for (const query of ["since=yesterday", "limit=0", "limit=1001", "cursor=-1", "usr=x", "user=%00"]) {
      const answer = await call(harness.hub.peopleUrl, `/api/v1/audit?${query}`, { headers: harness.admin });
      expect(answer.json).toMatchObject({ status: 400, code: "AUDIT_QUERY_INVALID" });
    }
  });

  it("follow what is recorded, each record as it is made", async () => {
    const gone = new AbortController();
    const records = client.streamAudit({ verb: "delete" }, { signal: gone.signal });
    const next = records[Symbol.asyncIterator]().next();
    await client.createCluster({ name: "followed" });
    // The stream begins with what is recorded after it was asked for; how much later it runs isn't known.
    const deleting = (async () => {
      while (!gone.signal.aborted) await client.removeCluster("followed").catch(() => undefined);
    })();

    expect((await next).value).toMatchObject({ verb: "delete", name: "followed" });
    gone.abort();
    await deleting;
    await expect(client.verifyAudit()).resolves.toMatchObject({ ok: true });
  });

  it("end at once for whoever follows and may no longer", async () => {
    const { accessToken } = await client.createSession();
    const session = createHubClient({ baseUrl: harness.hub.peopleUrl, token: accessToken, fetch: fetchFromHub });
    const following = session.streamAudit({ since: "2000-01-01T00:00:00Z" })[Symbol.asyncIterator]();
    expect((await following.next()).done).toBe(false);
    await session.endCurrentSession();

    while (!(await following.next()).done);
  });

  it("have their numbers in the metrics", async () => {
    const { text } = await call(harness.hub.peopleUrl, "/metrics", { headers: harness.admin });

    expect(text).toMatch(/^fairlead_audit_records_total [1-9]/m);
    expect(text).toMatch(/^fairlead_audit_waiting \d/m);
    expect(text).toMatch(/^fairlead_limits_active 0$/m);
  });

  it("end for whoever follows when the hub stops", async () => {
    const following = client.streamAudit({ since: "2000-01-01T00:00:00Z" })[Symbol.asyncIterator]();
    expect((await following.next()).done).toBe(false);
    const stopping = stop();

    while (!(await following.next()).done);
    await stopping;
  });
});
