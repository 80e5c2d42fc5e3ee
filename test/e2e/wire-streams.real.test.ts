// Streams as they are on the wire, byte for byte: what kubectl hides when it falls back to another protocol.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { runPod } from "../fleet/pods.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
  await runPod(fleet, "hello");
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 };

describe("exec over a WebSocket", () => {
  test.each(["v5.channel.k8s.io", "v4.channel.k8s.io"])("of %s carries output and exit status", async (version) => {
    const socket = open(execPath("sh", "-c", "echo out; echo err >&2; exit 7"), [version], bearer());
    const { text, status } = await readSession(socket);
    expect(socket.protocol).toBe(version);
    expect(text).toMatchObject({ [channels.stdout]: "out\n", [channels.stderr]: "err\n" });
    expect(status).toMatchObject({ status: "Failure", details: { causes: [{ reason: "ExitCode", message: "7" }] } });
  });

  test("of v5 tells the command that its input has ended", async () => {
    const socket = open(`${execPath("sh", "-c", "cat; echo end")}&stdin=true`, ["v5.channel.k8s.io"], bearer());
    const session = readSession(socket);
    await once(socket, "open");
    socket.send(Buffer.concat([Buffer.of(channels.stdin), Buffer.from("typed\n")]));
    socket.send(Buffer.of(channels.close, channels.stdin));
    const { text, status } = await session;
    expect(text[channels.stdout]).toBe("typed\nend\n");
    expect(status).toMatchObject({ status: "Success" });
  });

  test("of a browser, which has its token as a subprotocol, is let in and told another one", async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(fleet.hub.adminToken).toString("base64url")}`;
    const socket = open(execPath("echo", "hi"), [token, "v4.channel.k8s.io"]);
    const { text } = await readSession(socket);
    expect([socket.protocol, text[channels.stdout]]).toEqual(["v4.channel.k8s.io", "hi\n"]);
    const wrong = open(execPath("echo", "hi"), [token.slice(0, -4), "v4.channel.k8s.io"]);
    wrong.on("error", () => undefined);
    const [, refusal] = (await once(wrong, "unexpected-response")) as [unknown, { statusCode: number }];
    expect(refusal.statusCode).toBe(401);
  });
});

test("SPDY's five protocol lines reach the API server as five, and its choice comes back", async () => {
  const versions = ["v5", "v4", "v3", "v2"].map((version) => `${version}.channel.k8s.io`);
  const lines = [...versions, "channel.k8s.io"].map((version) => `X-Stream-Protocol-Version: ${version}\r\n`).join("");
  const head = await upgrade("POST", `${execPath("true")}`, `Upgrade: SPDY/3.1\r\nContent-Length: 0\r\n${lines}`);
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  expect(head).toMatch(/^upgrade: SPDY\/3\.1\r$/im);
  // Merged into one line, none of them would have been found.
  expect(head).toMatch(/^x-stream-protocol-version: v[45]\.channel\.k8s\.io\r$/im);
});

test("a port-forward in a WebSocket tunnel speaks SPDY within", async () => {
  const lines =
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
    "Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io\r\n";
  const head = await upgrade("GET", `${podPath()}/portforward`, lines);
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  expect(head).toMatch(/^sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r$/im);
  expect(head).toMatch(/^sec-websocket-protocol: SPDY\/3\.1\+portforward\.k8s\.io\r$/im);
});

describe("what listens in a pod", () => {
  test("is reached by WebSocket through the pod's and the service's proxy", async () => {
    await using echo = await startEcho();
    const { name: namespace } = fleet.namespace;
    await fleet.kubectl(["create", "service", "clusterip", "echo", `--tcp=80:${echo.port}`]);
    await fleet.kubectl(["set", "selector", "service/echo", "app=hello"]);
    const base = `/api/v1/namespaces/${namespace}`;
    const viaPod = `${base}/pods/hello:${echo.port}/proxy/socket`;
    const viaService = `${base}/services/echo:80/proxy/socket`;
    await expect
      .poll(() => echoThrough(viaService).catch((error: unknown) => String(error)))
      .toBe("echo of hello at /socket");
    expect(await echoThrough(viaPod)).toBe("echo of hello at /socket");
    // Programs behind the proxy get neither the caller's token nor the agent's.
    expect(echo.authorizations).toEqual(echo.authorizations.map(() => undefined));
  });
});

function podPath(): string {
  return `/api/v1/namespaces/${fleet.namespace.name}/pods/hello`;
}

function execPath(...command: string[]): string {
  const query = command.map((word) => `command=${encodeURIComponent(word)}`).join("&");
  return `${podPath()}/exec?${query}&stdout=true&stderr=true`;
}

function bearer(): { authorization: string } {
  return { authorization: `Bearer ${fleet.hub.adminToken}` };
}

function open(path: string, protocols: string[], headers: Record<string, string> = {}): WebSocket {
  const url = `${fleet.joined.url.replace("https:", "wss:")}${path}`;
  return new WebSocket(url, protocols, { headers, ca: fleet.hub.caPem, perMessageDeflate: false });
}

async function readSession(socket: WebSocket): Promise<{ text: Record<number, string>; status: unknown }> {
  const text: Record<number, string> = {};
  socket.on("message", (data: Buffer) => {
    const channel = data[0] ?? -1;
    text[channel] = (text[channel] ?? "") + data.subarray(1).toString();
  });
  await once(socket, "close");
  return { text, status: JSON.parse(text[channels.error] ?? "null") };
}

/** The head of the answer to an upgrade. */
async function upgrade(method: string, path: string, lines: string): Promise<string> {
  const { hub, joined } = fleet;
  const socket = connect({ host: "127.0.0.1", port: hub.port, ca: hub.caPem });
  await once(socket, "secureConnect");
  const { pathname } = new URL(joined.url);
  const authorization = `Authorization: ${bearer().authorization}\r\n`;
  socket.write(
    `${method} ${pathname}${path} HTTP/1.1\r\nHost: hub\r\n${authorization}Connection: Upgrade\r\n${lines}\r\n`,
  );
  let received = "";
  for await (const chunk of socket) {
    received += String(chunk);
    if (received.includes("\r\n\r\n")) break;
  }
  return received;
}

/** A WebSocket server that stands for what listens in the pod. */
async function startEcho() {
  const authorizations: (string | undefined)[] = [];
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  server.on("connection", (socket, req) => {
    authorizations.push(req.headers.authorization);
    socket.on("message", (data) => socket.send(`echo of ${String(data)} at ${req.url}`));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    port: (http.address() as AddressInfo).port,
    authorizations,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function echoThrough(path: string): Promise<string> {
  const socket = open(path, [], bearer());
  socket.on("open", () => socket.send("hello"));
  const [message] = (await once(socket, "message")) as [Buffer];
  socket.close();
  return message.toString();
}
