// A whole hub in this process and in memory, with real listeners, and what it takes to be an agent of it.
import { once } from "node:events";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { createClient } from "@connectrpc/connect";
import {
  attachLink,
  createLinkTransport,
  enrollPath,
  type HelloResponse,
  type Link,
  type LinkLimits,
  LinkService,
  linkPath,
  linkSocketOptions,
  linkSubprotocol,
  type StreamAcceptor,
} from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import { WebSocket } from "ws";
import { type Hub, type HubOptions, startHub } from "./hub.ts";
import { type HubConfig, readInvocation } from "./platform/config/index.ts";
import type { Store } from "./platform/store/index.ts";
import { openMemoryStore } from "./platform/store/memory-store.fixture.ts";
import { createLogger } from "./platform/telemetry/index.ts";

export interface TestHub extends AsyncDisposable {
  readonly hub: Hub;
  readonly store: Store;
  /** Signs in as the admin. */
  readonly admin: { readonly authorization: string };
  readonly limits: Partial<LinkLimits> | undefined;
  /** The lines of the log, as JSON. */
  readonly lines: readonly string[];
}

export async function openTestHub(
  options: Omit<HubOptions, "log" | "store"> & {
    readonly args?: readonly string[];
    readonly config?: Partial<HubConfig>;
  } = {},
): Promise<TestHub> {
  const { args = [], config, ...rest } = options;
  const listen = ["--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0"];
  const invocation = readInvocation({ args: ["--in-memory", ...listen, ...args], env: {} });
  if (!("config" in invocation)) throw new Error("no configuration");
  const lines: string[] = [];
  const { logLevel: level } = invocation.config;
  const log = createLogger({ level, name: "hub", destination: { write: (line) => void lines.push(line) } });
  const store = await openMemoryStore();
  const hub = await startHub({ ...invocation.config, ...config }, { log, store, ...rest });
  return {
    hub,
    store,
    admin: { authorization: `Bearer ${hub.firstAdminToken}` },
    limits: rest.linkLimits,
    lines,
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}

export interface TestIdentity {
  readonly cert?: string;
  readonly key?: string;
}

/** Adds a cluster and enrolls an agent for it. */
export async function enroll(
  cluster: string,
  on: TestHub,
  roles: readonly string[] = ["proxy"],
): Promise<TestIdentity> {
  const json = { "content-type": "application/json" };
  const created = await call(on.hub.peopleUrl, "/api/v1/clusters", {
    method: "POST",
    headers: { ...on.admin, ...json },
    body: JSON.stringify({ name: cluster, roles }),
  });
  return await enrollWith((created.json as { join: { token: string } }).join.token, on, roles);
}

/** With a token of a cluster that is there. */
export async function enrollWith(
  token: string,
  on: TestHub,
  roles: readonly string[] = ["proxy"],
): Promise<TestIdentity> {
  const json = { "content-type": "application/json" };
  const { keyPem, csrDer } = await createCsr({});
  const body = JSON.stringify({ token, csrDer: Buffer.from(csrDer).toString("base64"), roles });
  const answer = await call(on.hub.agentUrl, enrollPath, { method: "POST", headers: json, body });
  if (answer.status !== 200) throw new Error(`not enrolled: ${answer.text}`);
  return { cert: (answer.json as { certificateChainPem: string }).certificateChainPem, key: keyPem };
}

export async function dial(identity: TestIdentity, on: TestHub, accept: StreamAcceptor): Promise<Link> {
  const socket = openSocket(identity, on);
  await once(socket, "open");
  return attachLink({ socket, accept, ...(on.limits ? { limits: on.limits } : {}) });
}

/** A socket to the agents' door on which nothing has been said yet. */
export function openSocket(identity: TestIdentity, on: TestHub, subprotocol: string = linkSubprotocol): WebSocket {
  const url = on.hub.agentUrl.replace("https:", "wss:") + linkPath;
  return new WebSocket(url, subprotocol, { ...linkSocketOptions, ...identity, ca: on.hub.caPem });
}

/** Why the socket isn't let in. */
export async function readRefusal(socket: WebSocket): Promise<{ status: number | undefined; json: unknown }> {
  socket.on("error", () => undefined);
  const [, answer] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  return { status: answer.statusCode, json: JSON.parse(await readText(answer)) };
}

export function sayHello(
  link: Link,
  cluster: string,
  protocolVersions: number[] = [1, 9],
  agentInstanceId = "i1",
): Promise<HelloResponse> {
  return createClient(LinkService, createLinkTransport({ link })).hello({
    cluster,
    agentInstanceId,
    agentVersion: "0.1.0",
    protocolVersions,
    capabilities: ["identity"],
    kubernetesVersion: "v1.36.3",
    sentAtMs: BigInt(Date.now()),
  });
}

/** An agent whose cluster answers everything with this text. */
export function answer(text: string): StreamAcceptor {
  return (stream) => {
    stream.respond({ status: 200, headers: ["Content-Length", String(text.length)] });
    stream.write(Buffer.from(text));
    stream.end();
    return { onData() {}, onEnd() {}, onReset() {} };
  };
}

export interface TestAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly json: unknown;
}

/** Peers without a certificate. Each connection takes up an earlier one's session, which costs half of a new one. */
const strangers = new Agent({ keepAlive: false, rejectUnauthorized: false });

/** Sends a request on a connection of its own. */
export async function call(
  url: string,
  path: string,
  options: RequestOptions & { body?: string } = {},
): Promise<TestAnswer> {
  const { body, ...rest } = options;
  const agent = options.cert === undefined ? strangers : new Agent({ keepAlive: false, rejectUnauthorized: false });
  const isPlain = url.startsWith("http:");
  const client = isPlain
    ? plainRequest(url + path, { agent: false, ...rest })
    : request(url + path, { agent, ...rest });
  client.end(body);
  const [response] = (await once(client, "response")) as [IncomingMessage];
  const text = await readText(response);
  // A watch is a document for each event.
  const isJson = /json(?!;stream=watch)/.test(response.headers["content-type"] ?? "");
  return { status: response.statusCode, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}
