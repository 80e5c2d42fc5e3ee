// A cluster's end of its applications in memory, behind a real link to a hub: what the hub sent is its copies, which outlive
// its calls.
import { createClient } from "@connectrpc/connect";
import { systemClock } from "@fairlead/kernel";
import {
  createLinkTransport,
  Exchange,
  GitopsService,
  type HubHello,
  type Link,
  type ReplicaContent,
  ReplicaSource,
  ReplicaTarget,
  type ReplicateRequest,
} from "@fairlead/protocol";
import { answer, dial, enrollWith, sayHello, type TestHub } from "../../hub.fixture.ts";

export class ScriptedAgent implements AsyncDisposable {
  /** By uid: NAMESPACE/NAME on the hub. */
  readonly copies = new Map<string, string>();
  readonly hellos: HubHello[] = [];
  readonly #contents = new Map<string, ReplicaContent>();
  readonly #on: TestHub;
  readonly #cluster: string;
  readonly #identity: ReturnType<typeof enrollWith>;
  #isCalling = false;
  #call: { readonly link: Link; readonly end: AbortController; readonly over: Promise<void> } | undefined;

  constructor(options: { readonly on: TestHub; readonly cluster: string; readonly token: string }) {
    this.#on = options.on;
    this.#cluster = options.cluster;
    this.#identity = enrollWith(options.token, options.on, ["gitops"]);
  }

  get names(): string[] {
    return [...this.copies.values()].sort();
  }

  /** By uid, of what the hub sent last. */
  get versions(): ReadonlyMap<string, bigint> {
    return new Map([...this.#contents].map(([uid, { version }]) => [uid, version]));
  }

  get isCalling(): boolean {
    return this.#isCalling;
  }

  /** Begins a call, as an agent that has just started. */
  async connect(): Promise<void> {
    const link = await dial(await this.#identity, this.#on, answer(""));
    await sayHello(link, this.#cluster);
    const end = new AbortController();
    this.#call = { link, end, over: this.#serve(link, end.signal) };
  }

  async disconnect(): Promise<void> {
    const call = this.#call;
    this.#call = undefined;
    call?.end.abort();
    await call?.over;
    call?.link.close("cut");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }

  async #serve(link: Link, signal: AbortSignal): Promise<void> {
    this.#isCalling = true;
    let exchange: Exchange | undefined;
    const onWork = (): void => exchange?.wake();
    const opened = Promise.withResolvers<Exchange>();
    opened.promise.catch(() => undefined);
    try {
      const calls = createClient(GitopsService, createLinkTransport({ link }));
      const said = calls.replicate(outgoing(opened.promise, signal), { signal });
      for await (const { message } of said) {
        if (message.case === "hello") {
          this.hellos.push(message.value);
          exchange = this.#open(onWork);
          opened.resolve(exchange);
        } else if (message.case === "batch") exchange?.receive(message.value.messages);
      }
    } catch {
      // The hub ended it, or the link was cut.
    } finally {
      this.#isCalling = false;
      exchange?.[Symbol.dispose]();
    }
  }

  #open(onWork: () => void): Exchange {
    const common = { onWork, now: systemClock.steadyMs, random: Math.random };
    const target: ReplicaTarget = new ReplicaTarget({
      ...common,
      keepsContent: false,
      apply: ({ uid, content }) => {
        if (content === undefined) {
          this.copies.delete(uid);
          this.#contents.delete(uid);
        } else {
          this.copies.set(uid, content.name);
          this.#contents.set(uid, content);
        }
        target.committed(uid, content?.version ?? 0n);
      },
    });
    for (const [uid, { version, name }] of this.#contents) target.hold({ uid, version, name }, version);
    target.loaded();
    const status = new ReplicaSource({
      ...common,
      maxUnackedEntries: 8,
      maxUnackedBytes: 1_000_000,
      maxEntryBytes: 1_000_000,
      load: () => undefined,
      onUnsure: ({ uid }) => status.remove(uid),
    });
    status.list([]);
    const ends = {
      targets: new Map([["applications", target]]),
      sources: new Map([["applications.status", status]]),
    };
    return new Exchange({ ...ends, clock: systemClock });
  }
}

async function* outgoing(opened: Promise<Exchange>, signal: AbortSignal): AsyncGenerator<ReplicateRequest> {
  const hello = {
    kubeSystemUid: "",
    agentInstanceId: "i1",
    leaseEpoch: 1n,
    sentAtMs: BigInt(Date.now()),
    mode: "",
    mapping: "",
    argoNamespace: "argocd",
    flows: ["applications", "applications.status", "operations"],
    abilities: [],
    seenOwnerTerm: 0n,
  };
  yield { message: { case: "hello", value: hello } } as unknown as ReplicateRequest;
  const exchange = await opened;
  for await (const messages of exchange.batches(signal))
    yield { message: { case: "batch", value: { messages } } } as unknown as ReplicateRequest;
}
