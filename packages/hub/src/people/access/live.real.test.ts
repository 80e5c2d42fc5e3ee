// Streams that are open when rights end: a whole hub, a real link, and an agent of a few lines that never ends a watch.
import type { Session } from "@fairlead/contract";
import type { Link } from "@fairlead/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, dial, enroll, openTestHub, sayHello, type TestAnswer, type TestHub } from "../../hub.fixture.ts";

let harness: TestHub;
let link: Link;
let started = 0;
let watches = 0;
beforeAll(async () => {
  harness = await openTestHub();
  const identity = await enroll("east", harness);
  link = await dial(identity, harness, (stream) => {
    stream.respond({ status: 200, headers: [] });
    stream.write(Buffer.from('{"type":"ADDED"}\n'));
    watches += 1;
    return { onData() {}, onEnd() {}, onReset() {} };
  });
  await sayHello(link, "east");
}, 60_000);
afterAll(async () => {
  link.close("done");
  await harness[Symbol.asyncDispose]();
});

describe("a watch", () => {
  it("is cut when its user signs out, and not when another does", async () => {
    const watcher = await makeRobot("watcher", "viewer");
    const session = await startSession(watcher.token);
    const other = await startSession(watcher.token);
    const watch = startWatch(session.accessToken);
    const kept = startWatch(other.accessToken);
    await both(watch, kept);
    await ask("DELETE", "/api/v1/sessions/current", undefined, session.accessToken);
    await expect(watch.ended).rejects.toThrow();
    expect(kept.isOver()).toBe(false);
    await ask("DELETE", `/api/v1/sessions/${other.sessionId}`);
    await expect(kept.ended).rejects.toThrow();
  });

  it("is cut when its token is revoked", async () => {
    const { token, id } = await makeRobot("revoked", "viewer");
    const watch = startWatch(token);
    await both(watch);
    await ask("DELETE", `/api/v1/robots/revoked/tokens/${id}`);
    await expect(watch.ended).rejects.toThrow();
  });

  it("is cut when its user's role is taken away, and goes on while another role still gives it", async () => {
    const { token, binding } = await makeRobot("twice", "viewer");
    const subject = { kind: "robot", name: "twice" };
    await ask("PUT", "/api/v1/roles/watchers", { clusterRules: [{ verbs: ["watch"], resources: ["pods"] }] });
    const second = await ask("POST", "/api/v1/bindings", { subject, role: "watchers", clusters: { names: ["east"] } });
    const { id } = second.json as { id: string };
    await ask("DELETE", `/api/v1/bindings/${binding}`);
    const watch = startWatch(token);
    await both(watch);
    await ask("DELETE", `/api/v1/bindings/${id}`);
    await expect(watch.ended).rejects.toThrow();
    expect((await ask("GET", "/k8s/clusters/east/api/v1/pods?watch=1", undefined, token)).status).toBe(403);
  });
});

interface Watch {
  readonly begun: Promise<void>;
  readonly ended: Promise<TestAnswer>;
  isOver(): boolean;
}

function startWatch(token: string): Watch {
  started += 1;
  const wanted = started;
  let isOver = false;
  const ended = ask("GET", "/k8s/clusters/east/api/v1/pods?watch=1", undefined, token).finally(() => {
    isOver = true;
  });
  ended.catch(() => undefined);
  const begun = expect.poll(() => watches).toBeGreaterThanOrEqual(wanted) as Promise<void>;
  return { begun, ended, isOver: () => isOver };
}

async function both(...all: Watch[]): Promise<void> {
  for (const watch of all) await watch.begun;
}

async function makeRobot(name: string, role: string): Promise<{ token: string; id: string; binding: string }> {
  await ask("POST", "/api/v1/robots", { name });
  const subject = { kind: "robot", name };
  const bound = await ask("POST", "/api/v1/bindings", { subject, role, clusters: { names: ["east"] } });
  const made = await ask("POST", `/api/v1/robots/${name}/tokens`, { ttlMs: 3_600_000 });
  return { ...(made.json as { token: string; id: string }), binding: (bound.json as { id: string }).id };
}

async function startSession(token: string): Promise<Session> {
  return (await ask("POST", "/api/v1/sessions", undefined, token)).json as Session;
}

function ask(method: string, path: string, body?: object, token?: string): Promise<TestAnswer> {
  const authorization = token === undefined ? harness.admin.authorization : `Bearer ${token}`;
  return call(harness.hub.peopleUrl, path, {
    method,
    headers: { authorization, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}
