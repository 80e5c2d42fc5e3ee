// A hub as far as the contract goes: real TLS with a CA of its own, clusters in memory, problems as errors.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import {
  type Cluster,
  type CreateClusterRequest,
  caHeader,
  createClusterRequestSchema,
  type Join,
  problemContentType,
} from "@fairlead/contract";
import { FairleadError, toProblem } from "@fairlead/kernel";
import { createAuthority, describeCertificate, type NewAuthority } from "@fairlead/protocol/x509";
import { type FakeLive, serveFakeLive } from "./live.fixture.ts";
import { createFakeSessions, type FakeAnswer, type FakeSessions } from "./sessions.fixture.ts";

export interface ContractHub extends AsyncDisposable {
  readonly url: string;
  readonly authority: NewAuthority;
  readonly clusters: Map<string, Cluster>;
  clusterDomain?: string | undefined;
  /** The CAs that the hub says it has; undefined for a hub that says nothing of them. */
  caBundle?: string | undefined;
  readonly requests: { readonly line: string; readonly authorization: string | undefined; readonly body: string }[];
  readonly sessions: FakeSessions;
  readonly live: FakeLive;
  /** Answers that a test gives itself, by `GET /path?query`: all that needs no fake of its own. */
  readonly routes: Map<string, (body: string) => FakeAnswer>;
  /** The hub's clock. */
  now: () => number;
  /** How many of the next requests are done but never answered. */
  repliesToLose: number;
  /** Answers everything with this instead, while it is set. */
  answer?: { readonly status: number; readonly body: string } | undefined;
}

export const hubToken = "fla_contracthubtoken";
export const joinToken = "flj_contracthubjointoken";
export const hubNow: number = Date.parse("2026-05-06T07:08:09Z");

export async function startContractHub(options: HubOptions = {}): Promise<ContractHub> {
  const { names = ["127.0.0.1", "localhost"] } = options;
  const authority = options.authority ?? (await createAuthority({ commonName: "test hub CA", days: 30 }));
  const certificate = await authority.issueServerCertificate({ names, ttlMs: 24 * 3_600_000 });
  const chain = certificate.certPem + (options.appendToChain ?? "");
  const server = createServer({ cert: chain, key: certificate.keyPem });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hub: ContractHub = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority,
    clusters: new Map(),
    requests: [],
    sessions: createFakeSessions({ tokens: [hubToken], now: () => hub.now() }),
    live: serveFakeLive(server, (token) => hub.sessions.accessTokens.has(token)),
    routes: new Map(),
    now: () => hubNow,
    repliesToLose: 0,
    [Symbol.asyncDispose]: () => close(server),
  };
  serve(server, hub);
  return hub;
}

export interface HubOptions {
  readonly authority?: NewAuthority;
  readonly names?: readonly string[];
  /** Certificates that the server shows although they have nothing to do with its own. */
  readonly appendToChain?: string;
}

export function makeCluster(name: string, more: Partial<Cluster> = {}): Cluster {
  const at = new Date(hubNow - 180_000).toISOString();
  return { name, labels: {}, state: "never-connected", stateSince: at, roles: ["proxy"], createdAt: at, ...more };
}

function serve(server: Server, hub: ContractHub): void {
  server.on("request", (request, response) => void answerRequest(hub, request, response));
}

async function answerRequest(hub: ContractHub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString("utf8");
  const line = `${request.method} ${request.url}`;
  hub.requests.push({ line, authorization: request.headers.authorization, body });
  response.setHeader("date", new Date(hub.now()).toUTCString());
  if (hub.caBundle !== undefined) {
    response.setHeader(caHeader, fingerprintsOf(hub.caBundle));
    if (line === "GET /ca.pem") return void response.end(hub.caBundle);
  }
  if (hub.answer) return void response.writeHead(hub.answer.status).end(hub.answer.body);
  try {
    const answer = route(hub, line, request.headers.authorization, body);
    if (hub.repliesToLose > 0) {
      hub.repliesToLose--;
      return void response.destroy();
    }
    const text = answer.lines?.map((entry) => `${entry}\n`).join("") ?? JSON.stringify(answer.body);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  } catch (thrown) {
    const problem = toProblem(thrown, { requestId: String(request.headers["x-request-id"]) });
    response.writeHead(problem.status, { "content-type": problemContentType }).end(JSON.stringify(problem));
  }
}

function fingerprintsOf(bundle: string): string {
  const pems = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  return pems.map((pem) => describeCertificate(pem).fingerprint).join();
}

function route(hub: ContractHub, line: string, authorization: string | undefined, body: string): Answer {
  if (line === "GET /api/v1/version") {
    const { clusterDomain } = hub;
    const version = { version: "9.8.7", hubInstanceId: "hub_1", protocolVersions: ["1"], trustDomain: "test.local" };
    return { status: 200, body: { ...version, clusterDomain } };
  }
  if (line.endsWith(" /ca.pem")) return { status: 200 };
  const signIn = hub.sessions.answer(line, authorization, body);
  if (signIn) return signIn;
  const bearer = authorization?.replace(/^Bearer /, "") ?? "";
  const sessionId = hub.sessions.accessTokens.get(bearer);
  if (bearer !== hubToken && sessionId === undefined) throw refuse("AUTH_INVALID", "The token isn't known.", 401);
  if (line === "GET /api/v1/whoami") return { status: 200, body: { ...hub.sessions.principal, sessionId } };
  const answer = hub.routes.get(line);
  if (answer) return answer(body);
  if (line === "GET /api/v1/clusters") return { status: 200, body: { items: [...hub.clusters.values()] } };
  if (line === "POST /api/v1/clusters") return create(hub, createClusterRequestSchema.parse(JSON.parse(body)));
  return routeCluster(hub, line);
}

function create(hub: ContractHub, request: CreateClusterRequest): Answer {
  if (hub.clusters.has(request.name)) throw refuse("CLUSTER_EXISTS", `There is a cluster '${request.name}'.`, 409);
  const cluster = makeCluster(request.name, { labels: request.labels ?? {}, roles: request.roles ?? ["proxy"] });
  hub.clusters.set(cluster.name, cluster);
  return { status: 201, body: { cluster, join: makeJoin(cluster.name) } };
}

function routeCluster(hub: ContractHub, line: string): Answer {
  const [, method = "", name = "", action = ""] = /^(\w+) \/api\/v1\/clusters\/([^/]+)(?:\/(\w+))?$/.exec(line) ?? [];
  const cluster = hub.clusters.get(decodeURIComponent(name));
  if (name === "") throw refuse("API_ROUTE_UNKNOWN", "There is nothing here.", 404);
  if (!cluster) throw refuse("CLUSTER_NOT_FOUND", `There is no cluster '${decodeURIComponent(name)}'.`, 404);
  switch (`${method} ${action}`) {
    case "GET ":
      return { status: 200, body: { ...cluster, links: [], identities: [], events: [] } };
    case "POST tokens":
      return { status: 201, body: makeJoin(cluster.name) };
    case "POST revoke":
      hub.clusters.set(cluster.name, { ...cluster, state: "revoked" });
      return { status: 200, body: hub.clusters.get(cluster.name) };
    case "DELETE ":
      hub.clusters.delete(cluster.name);
      return { status: 204 };
    default:
      throw refuse("API_ROUTE_UNKNOWN", "There is nothing here.", 404);
  }
}

function makeJoin(cluster: string): Join {
  return {
    token: joinToken,
    expiresAt: new Date(hubNow + 3_600_000).toISOString(),
    hubAgentUrl: "https://127.0.0.1:8444",
    command: `fairlead-agent --hub https://127.0.0.1:8444 --token-file ./${cluster}.join-token`,
    helm: {
      command: `kubectl create secret generic join --from-file=token=./${cluster}.join-token\nhelm upgrade --install it`,
      variants: [{ when: "Behind a proxy", before: "kubectl create it", arguments: "--set proxied=true" }],
    },
  };
}

function refuse(code: string, message: string, httpStatus: number): FairleadError {
  return new FairleadError({ code, message, httpStatus });
}

type Answer = FakeAnswer;

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
