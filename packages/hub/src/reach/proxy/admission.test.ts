// A request gets in with its caller's rights in the cluster, or its caller is told why not.
import { FairleadError } from "@fairlead/kernel";
import { argoCaller, capabilities, type OpenHead } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../people/access/index.ts";
import { createTestAccess, createTestAudit, deny, spyOn } from "./ports.fixture.ts";
import {
  authorized,
  openProxyHarness,
  type ProxyHarness,
  type ProxyHarnessOptions,
  sendRaw,
} from "./proxy-harness.fixture.ts";

describe("a request", () => {
  it("reaches the cluster with an identity as a field, and not as a header", async () => {
    await using spied = await openSpiedHarness();
    await fetch(`${spied.harness.url}/api/v1/pods`, { headers: authorized });
    const [open] = spied.opened;
    expect(open?.identity).toEqual({
      user: "alice",
      uid: "usr_1",
      groups: ["fairlead:operators"],
      remoteAddress: "127.0.0.1",
    });
    expect(open?.headers.join(" ")).not.toMatch(/impersonate|alice|good/i);
  });

  it("that policy refuses never reaches the cluster, and says who, what, where and why", async () => {
    await using spied = await openSpiedHarness({ ports: { access: createTestAccess(deny("role viewer only reads")) } });
    const path = "/api/v1/namespaces/a/pods/b/exec?command=s3cret";
    const answer = await fetch(spied.harness.url + path, { method: "POST", headers: authorized });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      kind: "Status",
      reason: "Forbidden",
      message: 'alice may not create pods/exec "b" in namespace "a" in cluster east: role viewer only reads',
      details: { causes: [{ reason: "PROXY_ACCESS_DENIED" }] },
    });
    const upgrade = await sendRaw(spied.harness.port, upgradeText(path));
    expect([upgrade.status, JSON.parse(upgrade.body).message]).toEqual([
      403,
      'alice may not create pods/exec "b" in namespace "a" in cluster east: role viewer only reads',
    ]);
    expect(spied.opened).toEqual([]);
  });

  it("with more lines than are read is refused, as one of the rest may say who asks", async () => {
    await using spied = await openSpiedHarness();
    const lines = Array.from({ length: 8_100 }, (_, at) => `X-${at}: y`);
    const answer = await sendRaw(spied.harness.port, requestText("/api", [...lines, "Impersonate-User: bob"]));
    expect(answer.status).toBe(431);
    expect(spied.opened).toEqual([]);
  });

  it("for a cluster that isn't there looks like any other to those who have no right on it", async () => {
    await using harness = await openProxyHarness({ ports: { access: createTestAccess(deny("no binding")) } });
    const at = async (cluster: string) => {
      const answer = await fetch(`http://127.0.0.1:${harness.port}/k8s/clusters/${cluster}/api`, {
        headers: authorized,
      });
      return [answer.status, ((await answer.json()) as { message: string }).message.replace(cluster, "X")];
    };
    expect(await at("nowhere")).toEqual(await at("east"));
  });

  it.each([
    "/api/v1/namespaces/a%2f..%2fb/pods",
    "/api/v1/namespaces/a%2Fb/pods",
    "//api/v1/pods",
    "/api/v1//pods",
    "/api/v1/pods%00",
    "/api/v1/pods%ff",
  ])("for %s, which two readers may read differently, is refused", async (path) => {
    await using spied = await openSpiedHarness();
    const answer = await sendRaw(spied.harness.port, requestText(path));
    expect([400, 404]).toContain(answer.status);
    expect(JSON.parse(answer.body)).toMatchObject({ details: { causes: [{ reason: "PROXY_PATH_INVALID" }] } });
    expect(spied.opened).toEqual([]);
  });

  it("never becomes one of the cluster's own, whatever policy says", async () => {
    for (const identity of [
      { user: "system:admin", groups: [] },
      { user: "alice", groups: ["devs", "system:masters"] },
    ]) {
      const access = createTestAccess(() => ({ allowed: true, identity, record: false }));
      await using spied = await openSpiedHarness({ ports: { access } });
      const answer = await fetch(`${spied.harness.url}/api`, { headers: authorized });
      expect(answer.status).toBe(403);
      expect(((await answer.json()) as { message: string }).message).toContain("system:");
      expect(spied.opened).toEqual([]);
    }
  });

  it("over the limits is answered 429, and asked for again", async () => {
    await using harness = await openProxyHarness({
      ports: {
        limits: {
          admit() {
            throw new FairleadError({ code: "LIMIT_TEST", message: "full", httpStatus: 429, retryable: true });
          },
        },
      },
    });
    const answer = await fetch(`${harness.url}/api`, { headers: authorized });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await answer.json()).toMatchObject({ kind: "Status", reason: "TooManyRequests" });
  });

  it("gives its place back, however it ends", async () => {
    let taken = 0;
    const limits = {
      admit() {
        taken += 1;
        const release = (): void => {
          taken -= 1;
        };
        return { pace: () => 0, release };
      },
    };
    await using harness = await openProxyHarness({ ports: { limits }, upstream: (_req, res) => void res.destroy() });
    await fetch(`${harness.url}/api`, { headers: authorized });
    await fetch(`http://127.0.0.1:${harness.port}/k8s/clusters/offline/api`, { headers: authorized });
    await sendRaw(harness.port, upgradeText("/api/v1/namespaces/a/pods/b/exec"));
    expect(taken).toBe(0);
  });

  it("goes to no agent that is too old to impersonate", async () => {
    await using harness: ProxyHarness = await openProxyHarness({
      ports: { connections: () => [{ link: harness.hubLink, hello: { capabilities: [] } }] },
    });
    const answer = await fetch(`${harness.url}/api`, { headers: authorized });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ details: { causes: [{ reason: "PROXY_AGENT_TOO_OLD" }] } });
    expect(harness.streams.opened).toBe(0);
  });

  it("of Argo CD goes to no agent that doesn't keep it to what it tracks, and others go on", async () => {
    let group = argoCaller.group;
    await using harness: ProxyHarness = await openProxyHarness({
      ports: {
        access: createTestAccess(() => allowAs(group)),
        connections: () => [{ link: harness.hubLink, hello: { capabilities: [capabilities.identity] } }],
      },
    });
    const answer = await fetch(`${harness.url}/api`, { headers: authorized });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ details: { causes: [{ reason: "PROXY_ARGO_UNBOUNDED" }] } });
    expect(harness.streams.opened).toBe(0);
    group = "fairlead:viewers";
    expect((await fetch(`${harness.url}/api`, { headers: authorized })).status).toBe(200);
  });
});

describe("acting as somebody else", () => {
  it("is asked of policy, and the cluster is told the other name", async () => {
    const asked: unknown[] = [];
    const access = createTestAccess(({ principal, impersonate }) => {
      asked.push(impersonate);
      const user = impersonate?.user ?? principal.name;
      return { allowed: true, identity: { user, groups: impersonate?.groups ?? [], actor: "alice" }, record: false };
    });
    await using spied = await openSpiedHarness({ ports: { access } });
    await fetch(`${spied.harness.url}/api`, {
      headers: { ...authorized, "Impersonate-User": "bob", "Impersonate-Group": "devs" },
    });
    expect(asked).toMatchObject([{ user: "bob", groups: ["devs"] }]);
    expect(spied.opened[0]?.identity).toMatchObject({ user: "bob", groups: ["devs"], actor: "alice" });
    expect(spied.opened[0]?.headers.join(" ")).not.toMatch(/impersonate/i);
  });

  it("isn't undone by naming its headers in Connection", async () => {
    await using spied = await openSpiedHarness();
    const lines = ["Connection: Impersonate-User, close", "Impersonate-User: bob"];
    await sendRaw(spied.harness.port, requestText("/api", lines));
    expect(spied.opened[0]?.identity).toMatchObject({ user: "bob", actor: "alice" });
  });

  it("that isn't clear is refused", async () => {
    await using spied = await openSpiedHarness();
    const answer = await sendRaw(
      spied.harness.port,
      requestText("/api", ["Impersonate-User: bob", "impersonate-user: system:admin"]),
    );
    expect(answer.status).toBe(400);
    expect(answer.body).toContain("PROXY_IMPERSONATION_INVALID");
    expect(spied.opened).toEqual([]);
  });
});

describe("a record", () => {
  it("is made of every request, with who, what and how it ended", async () => {
    const audit = createTestAudit();
    await using harness = await openProxyHarness({ ports: { audit, access: createTestAccess() } });
    await fetch(`${harness.url}/api/v1/pods?labelSelector=s3cret`, {
      headers: {
        ...authorized,
        "user-agent": "kubectl/v1",
        "kubectl-session": "s-1",
        "kubectl-command": "kubectl get",
      },
    });
    expect(audit.records).toMatchObject([
      {
        start: {
          principal: { kind: "user", name: "alice", uid: "usr_1", sessionId: "ses_1" },
          remoteAddress: "127.0.0.1",
          userAgent: "kubectl/v1",
          cluster: "east",
          method: "GET",
          path: "/api/v1/pods?labelSelector=…",
          attributes: { verb: "list", resource: "pods" },
          isLong: false,
          kubectlCommand: "kubectl get",
          kubectlSession: "s-1",
        },
        outcome: { status: 200, bytesToCluster: 0, bytesFromCluster: 2 },
      },
    ]);
  });

  it("is made of what is refused as well", async () => {
    const audit = createTestAudit();
    await using harness = await openProxyHarness({ ports: { audit, access: createTestAccess(deny("no binding")) } });
    await fetch(`${harness.url}/api/v1/pods?watch=1`, { headers: authorized });
    await fetch(`${harness.url}/api/v1/pods`);
    expect(audit.records).toMatchObject([
      { start: { isLong: true, principal: { name: "alice" } }, outcome: { status: 403, code: "PROXY_ACCESS_DENIED" } },
      { start: { principal: undefined, cluster: "east" }, outcome: { status: 500 } },
    ]);
  });

  it("that can't be kept keeps the request from going out", async () => {
    const audit = {
      begin() {
        throw new FairleadError({ code: "AUDIT_TEST", message: "no room", httpStatus: 503 });
      },
    };
    await using spied = await openSpiedHarness({ ports: { audit } });
    expect((await fetch(`${spied.harness.url}/api`, { headers: authorized })).status).toBe(503);
    expect(spied.opened).toEqual([]);
  });
});

async function openSpiedHarness(options: ProxyHarnessOptions = {}) {
  const opened: OpenHead[] = [];
  const harness: ProxyHarness = await openProxyHarness({
    ...options,
    ports: { access: createTestAccess(), connections: () => [spyOn(harness.hubLink, opened)], ...options.ports },
  });
  return { harness, opened, [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose]() };
}

function requestText(path: string, lines: readonly string[] = ["Connection: close"]): string {
  const all = ["Host: x", "Authorization: Bearer good", ...lines];
  if (!all.some((line) => /^connection:.*close/i.test(line))) all.push("Connection: close");
  return `GET /k8s/clusters/east${path} HTTP/1.1\r\n${all.map((line) => `${line}\r\n`).join("")}\r\n`;
}

function upgradeText(path: string): string {
  return requestText(path, ["Connection: Upgrade", "Upgrade: websocket"]).replace("Connection: close\r\n", "");
}

function allowAs(group: string): Decision {
  return { allowed: true, identity: { user: "x", groups: [group] }, record: false };
}
