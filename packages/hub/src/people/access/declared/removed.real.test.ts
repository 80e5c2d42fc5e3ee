// Whatever is open when a robot or a binding goes from the files: a whole hub, which reads them again by itself.
import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { liveSubprotocol, type Session } from "@fairlead/contract";
import type { Link } from "@fairlead/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { call, dial, enrollWith, openTestHub, sayHello, type TestAnswer, type TestHub } from "../../../hub.fixture.ts";
import { createToken } from "../tokens/index.ts";

const { token, sha256 } = createToken({ kind: "robot", endsMs: Date.UTC(2099, 0, 1) });
const cluster = "apiVersion: fairlead.dev/v1\nkind: Cluster\nname: east\n---\n";
const robot = `apiVersion: fairlead.dev/v1
kind: Robot
name: ci
tokens: [{ sha256: ${sha256}, expiresAt: 2099-01-01T00:00:00Z }]
---
`;
const binding = `apiVersion: fairlead.dev/v1
kind: Binding
name: ci
subject: { kind: robot, name: ci }
role: admin
clusters: { all: true }
`;
const undo = new AsyncDisposableStack();
let folder: string;
let harness: TestHub;
let link: Link;

beforeAll(async () => {
  folder = undo.use(await mkdtempDisposable(join(tmpdir(), "fairlead-removed-"))).path;
  await declare(cluster + robot + binding);
  harness = undo.use(
    await openTestHub({ config: { inMemory: false, dataDir: join(folder, "data"), declarations: folder } }),
  );
  const made = await ask("POST", "/api/v1/clusters/east/tokens", harness.admin, {});
  link = await dial(await enrollWith((made.json as { token: string }).token, harness), harness, (stream) => {
    stream.respond({ status: 200, headers: [] });
    stream.write(Buffer.from('{"type":"ADDED"}\n'));
    return { onData() {}, onEnd() {}, onReset() {} };
  });
  undo.defer(() => link.close("done"));
  await sayHello(link, "east");
});
afterAll(() => undo.disposeAsync());

it("a binding that goes ends the streams that it gave, and a robot that goes ends all that it has open", async () => {
  const session = (await ask("POST", "/api/v1/sessions", bearer(token))).json as Session;
  const both = [token, session.accessToken];
  const first = await Promise.all(both.flatMap((one) => [openStream(watch, one), openStream(records, one)]));
  const sockets = await Promise.all(both.map(openSocket));
  await declare(cluster + robot);
  await Promise.all(first.map(({ ended }) => ended));
  for (const one of both) {
    expect((await ask("GET", watch, bearer(one))).status).toBe(403);
    expect((await ask("GET", "/api/v1/whoami", bearer(one))).status).toBe(200);
  }
  expect(sockets.map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);

  await declare(cluster + robot + binding);
  await expect.poll(async () => (await ask("GET", "/api/v1/robots", bearer(token))).status).toBe(200);
  const again = await Promise.all(both.flatMap((one) => [openStream(watch, one), openStream(records, one)]));
  const closed = sockets.map((socket) => once(socket, "close"));
  await declare(cluster);
  await Promise.all([...again.map(({ ended }) => ended), ...closed]);
  for (const one of both)
    expect((await ask("GET", "/api/v1/whoami", bearer(one))).json).toMatchObject({ code: "AUTH_INVALID" });
  const { refreshToken } = session;
  const refreshed = await ask("POST", "/api/v1/sessions/refresh", {}, { refreshToken });
  expect(refreshed).toMatchObject({ status: 401, json: { code: "SESSION_REFRESH_INVALID" } });
});

const watch = "/k8s/clusters/east/api/v1/pods?watch=1";
const records = "/api/v1/audit/stream";

/** Once it has begun; what it returns resolves at its end. */
async function openStream(path: string, of: string): Promise<{ readonly ended: Promise<unknown> }> {
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  const client = request(harness.hub.peopleUrl + path, { agent, headers: bearer(of) });
  client.on("error", () => undefined).end();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  expect(answer.statusCode, path).toBe(200);
  answer.on("error", () => undefined).resume();
  return { ended: new Promise((resolve) => answer.once("close", resolve)) };
}

async function openSocket(of: string): Promise<WebSocket> {
  const url = `${harness.hub.peopleUrl.replace("https:", "wss:")}/api/v1/live`;
  const socket = new WebSocket(url, [liveSubprotocol], { headers: bearer(of), ca: harness.hub.caPem });
  socket.on("error", () => undefined);
  await once(socket, "open");
  return socket;
}

function declare(text: string): Promise<void> {
  return writeFile(join(folder, "all.yaml"), text);
}

function bearer(one: string): { authorization: string } {
  return { authorization: `Bearer ${one}` };
}

function ask(method: string, path: string, headers: object, body?: object): Promise<TestAnswer> {
  return call(harness.hub.peopleUrl, path, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}
