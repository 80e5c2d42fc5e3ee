// The hub's ends of a cluster's flows in memory, behind a real link on loopback.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@fairlead/kernel";
import {
  type AgentHello,
  type Application,
  acceptLink,
  attachLink,
  capabilities,
  createRpcAcceptor,
  Exchange,
  flowsOf,
  type GitopsMode,
  type GitopsObject,
  GitopsService,
  type Link,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
  type Operation,
  type OperationOutcome,
  OperationSource,
  parseContent,
  type ReplicaContent,
  ReplicaSource,
  ReplicaTarget,
  type ReplicateRequest,
  type ReplicateResponse,
  type StatusPart,
  toContent,
  toDataPart,
  toProjectPart,
  toSpecPart,
} from "@fairlead/protocol";
import { WebSocket, WebSocketServer } from "ws";
import { type CurrentLink, createCurrentLink } from "../link/index.ts";

interface HelloFields {
  mode: string;
  mapping: string;
  ownerTerm: bigint;
  readonly hubUid: string;
  flows: string[];
  rules: {
    adoption?: string;
    onUidMismatch?: string;
    onRecreate?: string;
    createNamespaces?: boolean;
    hubNamespace?: string;
    remappedNamespaces?: string[];
  };
}

/** The part of a cluster's object that the hub has committed. */
export type Mirrored = Readonly<Record<string, unknown>>;

export class ScriptedHub implements AsyncDisposable {
  readonly links: CurrentLink = createCurrentLink();
  readonly hellos: AgentHello[] = [];
  readonly outcomes = new Map<string, OperationOutcome>();
  /** Flow -> uid -> the part. */
  readonly mirrored = new Map<string, Map<string, Mirrored>>();
  hello: HelloFields;
  /** Refuses the next calls. */
  refusal: Error | undefined;
  readonly source: ReplicaSource;
  /** By flow, of what goes to the cluster. */
  readonly sources = new Map<string, ReplicaSource>();
  readonly #contents = new Map<string, ReplicaContent>();
  readonly operations: OperationSource;
  readonly #targets = new Map<string, ReplicaTarget>();
  readonly #http = createServer();
  readonly #sockets = new Set<WebSocket>();
  #exchange: Exchange | undefined;
  #link: Link | undefined;
  #calls = new AbortController();

  constructor(mode: GitopsMode) {
    const flows = [...flowsOf(mode).map(({ name }) => name), "operations"];
    this.hello = { mode, mapping: "namespace", ownerTerm: 1n, hubUid: "the-hub", flows, rules: {} };
    const onWork = (): void => this.#exchange?.wake();
    const common = { onWork, now: systemClock.steadyMs, random: Math.random };
    const limits = { maxUnackedEntries: 64, maxUnackedBytes: 4_000_000, maxEntryBytes: 1_500_000 };
    for (const { name } of flowsOf(mode).filter(({ source }) => source === "hub")) {
      const source: ReplicaSource = new ReplicaSource({
        ...common,
        ...limits,
        load: (uid) => this.#contents.get(uid),
        // This hub's memory is the truth.
        onUnsure: ({ uid }) => source.remove(uid),
      });
      source.list([]);
      this.sources.set(name, source);
    }
    this.source = this.#sourceOf("applications");
    this.operations = new OperationSource({
      ...common,
      isReady: ({ uid, action }) => action !== "sync" || this.sources.get("applications")?.isSettled(uid) !== false,
      onSettled: ({ id }, outcome) => void this.outcomes.set(id, outcome),
    });
    for (const { name } of flowsOf(mode).filter(({ source }) => source === "cluster")) this.#addTarget(name, onWork);
  }

  async listen(): Promise<void> {
    const server = new WebSocketServer(linkServerOptions);
    const accept = createRpcAcceptor({
      routes: (router) => {
        router.service(GitopsService, { replicate: (requests, { signal }) => this.#replicate(requests, signal) });
      },
    });
    this.#http.on("upgrade", (request, socket, head) => {
      server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#sockets.add(webSocket);
        acceptLink({ socket: webSocket, accept });
      });
    });
    this.#http.listen(0, "127.0.0.1");
    await once(this.#http, "listening");
  }

  async connect(): Promise<void> {
    const { port } = this.#http.address() as AddressInfo;
    const socket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, linkSubprotocol, linkSocketOptions);
    await once(socket, "open");
    const accept = (): never => {
      throw new Error("nothing is served here");
    };
    this.#link = attachLink({ socket, accept });
    this.links.set({ link: this.#link, capabilities: [capabilities.gitops] });
  }

  /** No link, until the next `connect`. */
  cut(): void {
    this.links.set(undefined);
    this.#link?.close("cut");
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
  }

  /** The agent calls again. */
  endCalls(): void {
    this.#calls.abort(new Error("The hub ends its calls."));
    this.#calls = new AbortController();
  }

  put(application: Application): void {
    this.#put("applications", application, toSpecPart(application));
  }

  putProject(project: GitopsObject): void {
    this.#put("projects", project, toProjectPart(project));
  }

  putData(flow: "repositories" | "gpg-keys", object: GitopsObject): void {
    this.#put(flow, object, toDataPart(object));
  }

  remove(uid: string, flow = "applications"): void {
    this.#contents.delete(uid);
    this.#sourceOf(flow).remove(uid);
  }

  ask(operation: Omit<Operation, "contentJson">, content: object): void {
    this.operations.offer({ ...operation, contentJson: Buffer.from(JSON.stringify(content)) });
  }

  status(uid: string): StatusPart | undefined {
    return this.mirrored.get("applications.status")?.get(uid) as StatusPart | undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async *#replicate(requests: AsyncIterable<ReplicateRequest>, callSignal: AbortSignal) {
    if (this.refusal) throw this.refusal;
    const signal = AbortSignal.any([callSignal, this.#calls.signal]);
    yield { message: { case: "hello", value: this.hello } } as unknown as ReplicateResponse;
    using exchange = new Exchange({
      sources: this.sources,
      targets: this.#targets,
      operations: this.operations,
      clock: systemClock,
    });
    this.#exchange = exchange;
    const ended = new AbortController();
    void this.#receive(requests, exchange).finally(() => ended.abort());
    for await (const messages of exchange.batches(AbortSignal.any([signal, ended.signal])))
      yield { message: { case: "batch", value: { messages } } } as unknown as ReplicateResponse;
    signal.throwIfAborted();
  }

  async #receive(requests: AsyncIterable<ReplicateRequest>, exchange: Exchange): Promise<void> {
    try {
      for await (const { message } of requests) {
        if (message.case === "hello") this.hellos.push(message.value);
        else if (message.case === "batch") exchange.receive(message.value.messages);
      }
    } catch {
      // The call was cut.
    }
  }

  #addTarget(flow: string, onWork: () => void): void {
    const parts = new Map<string, Mirrored>();
    this.mirrored.set(flow, parts);
    const target: ReplicaTarget = new ReplicaTarget({
      apply({ uid, content }) {
        if (content === undefined) parts.delete(uid);
        else parts.set(uid, parseContent<Mirrored>(content));
        target.committed(uid, content?.version ?? 0n);
      },
      onWork,
      now: systemClock.steadyMs,
      keepsContent: false,
    });
    target.loaded();
    this.#targets.set(flow, target);
  }

  #put(flow: string, object: GitopsObject, part: unknown): void {
    const { uid = "" } = object.metadata;
    const content = toContent(object.metadata, part);
    this.#contents.set(uid, content);
    this.#sourceOf(flow).put(uid, content.version);
  }

  /** In an autonomous cluster's call there is none. */
  #sourceOf(flow: string): ReplicaSource {
    return this.sources.get(flow) as ReplicaSource;
  }
}

/** Makes an application in the hub's namespace for the cluster. */
export function hubApplication(name: string, uid: string, more: Partial<Application["metadata"]> = {}): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: "east", uid, ...more },
    spec: {
      project: "default",
      source: { repoURL: "https://git.invalid/shop.git", path: ".", targetRevision: "main" },
      destination: { server: "https://hub.invalid/k8s/clusters/east", namespace: "shop" },
    },
  };
}
