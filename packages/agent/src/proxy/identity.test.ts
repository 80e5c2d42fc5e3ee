// The rights of a request at the API server are those of the user that the agent's own lines name.
import { resetCodes } from "@fairlead/protocol";
import { expect, test, vi } from "vitest";
import { type JudgedRequest, judge, openPolicyRules, type Verdict } from "../policy/index.ts";
import { call, headerOf, openWire, startUpstream } from "./wire.fixture.ts";

test("an identity becomes Impersonate lines behind all others, and nothing else does", async () => {
  const seen: string[][] = [];
  await using upstream = await startUpstream((request, response) => {
    seen.push(request.rawHeaders);
    response.end();
  });
  const extras = { allow: ["acme.com/*"] };
  const policy = { judge: judgeBy({ ...openPolicyRules, extras }), onChanged() {} };
  await using wire = await openWire({ access: upstream.access, policy });
  const identity = {
    user: "zoë@example.com",
    uid,
    groups: ["fairlead:viewers", "oidc:devs"],
    extra: { "acme.com/Project": ["a", "b"] },
    actor: "alice",
    remoteAddress: "192.0.2.1",
  };
  const headers = ["Connection", "Impersonate-User, Impersonate-Group, Authorization", "Accept", "x"];
  await call(wire.hub, { identity, headers }).answer;
  const raw = seen[0] ?? [];
  expect(raw.slice(raw.indexOf("Authorization"))).toEqual([
    "Authorization",
    "Bearer the-agents-own",
    "Impersonate-User",
    Buffer.from("zoë@example.com").toString("latin1"),
    "Impersonate-Uid",
    uid,
    "Impersonate-Group",
    "fairlead:viewers",
    "Impersonate-Group",
    "oidc:devs",
    "Impersonate-Extra-acme.com%2f%50roject",
    "a",
    "Impersonate-Extra-acme.com%2f%50roject",
    "b",
  ]);
  expect(raw.join(" ")).not.toMatch(/alice|192\.0\.2\.1/);
});

test("an upgrade has its identity too", async () => {
  await using upstream = await startUpstream(() => undefined);
  const seen: string[] = [];
  upstream.server.on("upgrade", (request, socket) => {
    seen.push(...request.rawHeaders);
    socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  });
  await using wire = await openWire({ access: upstream.access });
  const headers = ["Connection", "Upgrade", "Upgrade", "websocket"];
  await call(wire.hub, { upgrade: true, headers }).head;
  expect(headerOf(seen, "impersonate-user")).toBe("alice");
});

test("a request without an identity is refused, and nothing is sent", async () => {
  const onRequest = vi.fn();
  await using upstream = await startUpstream(onRequest);
  await using wire = await openWire({ access: upstream.access });
  for (const open of [{}, { upgrade: true, headers: ["Upgrade", "websocket"] }, { method: "POST" }]) {
    const { head, body } = await call(wire.hub, { ...open, identity: undefined }).answer;
    expect(head.status).toBe(403);
    expect(JSON.parse(body.toString())).toMatchObject({ details: { causes: [{ reason: "PROXY_IDENTITY_MISSING" }] } });
  }
  expect(onRequest).not.toHaveBeenCalled();
});

test.each([
  [{ user: "system:admin", groups: [] }, "POLICY_DENIED"],
  [{ user: "alice", groups: ["system:masters"] }, "POLICY_DENIED"],
  [{ user: "alice ", groups: [] }, "PROXY_IDENTITY_INVALID"],
  [{ user: "alice", groups: [" devs"] }, "PROXY_IDENTITY_INVALID"],
  [{ user: "alice", groups: [" system:masters"] }, "POLICY_DENIED"],
  [{ user: "alice", groups: [], uid: "0b1f3c52-6d0a-4c8e-9a3b-1c2d3e4f5a6b" }, "POLICY_DENIED"],
  [{ user: "alice", groups: [], extra: { "authentication.kubernetes.io/node-name": ["n"] } }, "POLICY_DENIED"],
  [{ user: "alice", groups: [], extra: { scopes: ["all"] } }, "POLICY_DENIED"],
])("the identity %j is refused as %s, and nothing is sent", async (identity, reason) => {
  const onRequest = vi.fn();
  await using upstream = await startUpstream(onRequest);
  await using wire = await openWire({ access: upstream.access });
  const { head, body } = await call(wire.hub, { identity }).answer;
  expect(head.status).toBe(403);
  expect(JSON.parse(body.toString())).toMatchObject({ kind: "Status", details: { causes: [{ reason }] } });
  expect(onRequest).not.toHaveBeenCalled();
});

test.each(["CONNECT", "connect"])("%s, which would make a tunnel without identities, is refused", async (method) => {
  await using upstream = await startUpstream(() => undefined);
  const tunnels: unknown[] = [];
  upstream.server.on("connect", (request, socket) => {
    tunnels.push(request.url);
    socket.end("HTTP/1.1 200 OK\r\n\r\n");
  });
  await using wire = await openWire({ access: upstream.access });
  for (const open of [{}, { upgrade: true, headers: ["Upgrade", "websocket"] }]) {
    const { head } = await call(wire.hub, { ...open, method, path: "/api/v1/pods" }).answer;
    expect(head.status).toBe(400);
  }
  expect(tunnels).toEqual([]);
});

test("what the policy forbids is a 403 that names the rule, and nothing is sent", async () => {
  const onRequest = vi.fn();
  await using upstream = await startUpstream(onRequest);
  const policy = { judge: judgeBy({ ...openPolicyRules, readOnly: true }), onChanged() {} };
  await using wire = await openWire({ access: upstream.access, policy });
  const { head, body } = await call(wire.hub, { method: "DELETE", path: "/api/v1/namespaces/a/pods/b" }).answer;
  expect(head.status).toBe(403);
  expect(JSON.parse(body.toString()).message).toMatch(/rule readOnly/);
  expect(onRequest).not.toHaveBeenCalled();
});

test("the agent's own namespace, where its policy is, isn't for a hub to change", async () => {
  const onRequest = vi.fn((_: unknown, response: { end(): void }) => response.end());
  await using upstream = await startUpstream(onRequest);
  await using wire = await openWire({ access: upstream.access, ownNamespace: "fairlead" });
  const refused = await call(wire.hub, {
    method: "PATCH",
    path: "/api/v1/namespaces/fairlead/configmaps/fairlead-agent-proxy-policy",
  }).answer;
  expect(refused.head.status).toBe(403);
  expect(JSON.parse(refused.body.toString()).message).toMatch(/rule own namespace/);
  expect(onRequest).not.toHaveBeenCalled();
  const seen = await call(wire.hub, { path: "/api/v1/namespaces/fairlead/pods" }).answer;
  expect(seen.head.status).toBe(200);
});

test("what another policy forbids doesn't go on", async () => {
  let isAllowed = true;
  let change = (): void => undefined;
  const policy = {
    judge: (): Verdict => (isAllowed ? { allowed: true } : { allowed: false, rule: "readOnly", reason: "it is" }),
    onChanged(listener: () => void) {
      change = listener;
    },
  };
  await using upstream = await startUpstream((_, response) => void response.write("begun"));
  upstream.server.on("upgrade", (_, socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  await using wire = await openWire({ access: upstream.access, policy });
  const watch = call(wire.hub, { path: "/api/v1/pods?watch=1" });
  const session = call(wire.hub, { upgrade: true, headers: ["Upgrade", "websocket"] }, "open");
  await Promise.all([watch.head, session.head]);
  isAllowed = false;
  change();
  await expect(watch.answer).rejects.toMatchObject({ resetCode: resetCodes.upstreamBroken });
  await expect(session.answer).rejects.toMatchObject({ resetCode: resetCodes.cancelled });
  expect(wire.counters.inFlight).toBe(0);
});

const uid = `usr_${"a".repeat(26)}`;

function judgeBy(policy: Parameters<typeof judge>[0]): (request: JudgedRequest) => Verdict {
  return (request) => judge(policy, request);
}
