// Going on with a link after a cut, at the hub's real door: for the agent whose link it is, and for nobody else.

import { once } from "node:events";
import { until } from "@fairlead/kernel/testing";
import { attachLink, type Link } from "@fairlead/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { WebSocket } from "ws";
import {
  answer,
  call,
  enroll,
  openSocket,
  openTestHub,
  sayHello,
  type TestHub,
  type TestIdentity,
} from "../../hub.fixture.ts";

let harness: TestHub;

beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

it("goes on for the agent whose link it is; its cluster stays connected all the while", async () => {
  const identity = await enroll("steady", harness);
  const { link, sockets, letIn } = await dialResuming(identity, "steady");
  await until(() => sockets.length === 1, "the first socket");
  sockets[0]?.terminate();
  await until(() => link.state === "resuming", "the loss to be noticed");
  expect(await stateOf("steady")).toBe("connected");
  letIn();
  await until(() => link.state === "up", "the link to go on");
  const shown = await ask("steady");
  expect(shown).toBe("steady");
  expect(sockets).toHaveLength(2);
  const types = (await eventsOf("steady")).map(({ type }) => type);
  expect(types).toContain("connected");
  expect(types).not.toContain("disconnected");
  link.close("done");
  await until(() => harness.lines.some((line) => line.includes("agent link closed")), "its end in the log");
});

it("refuses another cluster that has learnt a session's name, says so, and leaves the link alone", async () => {
  const victim = openSocket(await enroll("victim", harness), harness);
  await once(victim, "open");
  victim.send(frame(1, { versions: [1], resume: true }));
  const [settings] = (await once(victim, "message")) as [Buffer];
  const { session } = JSON.parse(settings.toString("utf8", 8)) as { session: string };
  expect(session).toMatch(/^[\w-]{22}$/);

  const thief = openSocket(await enroll("thief", harness), harness);
  await once(thief, "open");
  thief.send(frame(13, { session, lane: 0, received: 0 }));
  const [code, reason] = await once(thief, "close");
  expect([code, String(reason)]).toEqual([4404, "no such session"]);
  expect(victim.readyState).toBe(victim.OPEN);
  await expect
    .poll(() => eventsOf("thief"))
    .toContainEqual(expect.objectContaining({ type: "link-misused", level: "alarm" }));
  const metrics = await call(harness.hub.peopleUrl, "/metrics", { headers: harness.admin });
  expect(metrics.text).toMatch(/^fairlead_errors_total\{[^}]*code="LINK_RESUME_FOREIGN"[^}]*\} 1/m);
  expect(harness.lines.join("")).not.toContain(session);
  victim.terminate();
});

it.each(["before", "after"])(
  "ends a cut link when its agent has a new one, noticed %s that one's Hello",
  async (when) => {
    const cluster = `${when}-hello`;
    const identity = await enroll(cluster, harness);
    const { sockets } = await dialResuming(identity, cluster);
    const cut = async (): Promise<void> => {
      sockets[0]?.terminate();
      await until(() => logOf(cluster).includes("agent link lost its connection"), "the loss to be noticed");
    };
    if (when === "before") await cut();
    const { link } = await dialResuming(identity, cluster);
    if (when === "after") await cut();
    await until(() => logOf(cluster).includes("agent link closed"), "the end of the first link");
    expect(link.state).toBe("up");
    expect(await ask(cluster)).toBe(cluster);
    link.close("done");
  },
);

it("gives no link to whoever was let in before its identity was revoked and begins after", async () => {
  const socket = openSocket(await enroll("revoked", harness), harness);
  const closed = once(socket, "close");
  await once(socket, "open");
  const removed = await call(harness.hub.peopleUrl, "/api/v1/clusters/revoked", {
    method: "DELETE",
    headers: harness.admin,
  });
  expect(removed.status).toBeLessThan(300);
  if (socket.readyState === socket.OPEN) socket.send(frame(1, { versions: [1], resume: true }));
  expect((await closed)[0]).toBe(1006);
});

it.each([false, true])(
  "asks who would begin a new link to do so on the same connection (revoked then: %s)",
  async (isRevoked) => {
    const cluster = isRevoked ? "begins-late" : "begins";
    const socket = openSocket(await enroll(cluster, harness), harness);
    await once(socket, "open");
    const asked = once(socket, "message");
    socket.send(frame(13, { session: "AAAAAAAAAAAAAAAAAAAAAA", lane: 0, received: 0, orBegin: true }));
    expect(String((await asked)[0].subarray(8))).toBe('{"begin":true}');
    if (isRevoked) {
      const closed = once(socket, "close");
      await call(harness.hub.peopleUrl, `/api/v1/clusters/${cluster}`, { method: "DELETE", headers: harness.admin });
      expect((await closed)[0]).toBe(1006);
      return;
    }
    const link = attachLink({ socket, accept: answer(cluster) });
    await sayHello(link, cluster);
    expect(await ask(cluster)).toBe(cluster);
    link.close("done");
  },
);

it.each([
  ["a session that there never was", { session: "AAAAAAAAAAAAAAAAAAAAAA", lane: 0, received: 0 }],
  ["no session at all", { lane: 0 }],
  ["what no number is", { session: "AAAAAAAAAAAAAAAAAAAAAA", lane: 0, received: -1 }],
])("refuses %s in the same words", async (_, resume) => {
  const socket = openSocket(await enroll(`lost-${++clusters}`, harness), harness);
  await once(socket, "open");
  socket.send(frame(13, resume));
  expect((await once(socket, "close")).map(String)).toEqual(["4404", "no such session"]);
});
let clusters = 0;

/** An agent that is kept from dialling again until it is let in. */
async function dialResuming(identity: TestIdentity, cluster: string) {
  const sockets: WebSocket[] = [];
  const gate = Promise.withResolvers<void>();
  const open = async (): Promise<WebSocket> => {
    const socket = openSocket(identity, harness);
    await once(socket, "open");
    sockets.push(socket);
    return socket;
  };
  const dialAgain = () => gate.promise.then(open);
  const link: Link = attachLink({ socket: await open(), accept: answer(cluster), dialAgain });
  await sayHello(link, cluster);
  return { link, sockets, letIn: gate.resolve };
}

function logOf(cluster: string): unknown[] {
  const lines = harness.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.filter((line) => line["cluster"] === cluster).map((line) => line["msg"]);
}

async function ask(cluster: string): Promise<string> {
  return (await call(harness.hub.peopleUrl, `/k8s/clusters/${cluster}/api`, { headers: harness.admin })).text;
}

async function stateOf(cluster: string): Promise<string> {
  return (await show(cluster)).state;
}

async function eventsOf(cluster: string): Promise<{ type: string; level: string }[]> {
  return (await show(cluster)).events;
}

async function show(cluster: string) {
  const { json } = await call(harness.hub.peopleUrl, `/api/v1/clusters/${cluster}`, { headers: harness.admin });
  return json as { state: string; events: { type: string; level: string }[] };
}

/** docs/PROTOCOL.md: type, flags, reserved, stream, payload. */
function frame(type: number, payload: object): Buffer {
  const header = Buffer.alloc(8);
  header[0] = type;
  return Buffer.concat([header, Buffer.from(JSON.stringify(payload))]);
}
