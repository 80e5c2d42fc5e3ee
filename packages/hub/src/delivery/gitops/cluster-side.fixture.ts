// The cluster's side of an autonomous cluster's flows, in memory: it says whatever it is told to.
import { systemClock } from "@fairlead/kernel";
import {
  Exchange,
  type ReplicaContent,
  type ReplicaRefusal,
  ReplicaSource,
  type StatusPart,
  toContent,
} from "@fairlead/protocol";
import type { HubEnds } from "./sync/index.ts";

export interface SaidObject {
  readonly uid: string;
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: object;
  readonly annotations?: object;
  readonly finalizers?: readonly string[];
  readonly spec?: object;
  readonly copyOf?: string;
}

type SaidFlow = "applications" | "projects" | "applications.status";

export class ClusterSide {
  readonly #contents = new Map<string, ReplicaContent>();
  readonly #sources = new Map<SaidFlow, ReplicaSource>();
  readonly #entries = new Map<SaidFlow, number>();
  #exchange: Exchange | undefined;

  constructor() {
    for (const flow of ["applications", "projects", "applications.status"] as const) {
      const source = new ReplicaSource({
        load: (uid) => this.#contents.get(`${flow} ${uid}`),
        onUnsure: ({ uid }) => source.remove(uid),
        onWork: () => this.#exchange?.wake(),
        now: systemClock.steadyMs,
        random: Math.random,
        maxUnackedEntries: 64,
        maxUnackedBytes: 4 << 20,
        maxEntryBytes: 4 << 20,
      });
      source.list([]);
      this.#sources.set(flow, source);
    }
  }

  put(flow: "applications" | "projects", said: SaidObject): void {
    const { uid, name, namespace = "argocd", labels = {}, annotations = {}, finalizers = [], spec = {}, copyOf } = said;
    const metadata = { name, namespace, labels, annotations, finalizers, isDeleting: false };
    this.#put(flow, uid, toContent(metadata, { metadata, spec, ...(copyOf !== undefined && { copyOf }) }));
  }

  putStatus(uid: string, part: StatusPart): void {
    this.#put("applications.status", uid, toContent({ namespace: "argocd", name: uid }, part));
  }

  remove(flow: SaidFlow, uid: string): void {
    this.#contents.delete(`${flow} ${uid}`);
    this.#sources.get(flow)?.remove(uid);
  }

  isSettled(flow: SaidFlow, uid: string): boolean {
    return this.#sources.get(flow)?.isSettled(uid) ?? false;
  }

  refusalOf(flow: SaidFlow, uid: string): ReplicaRefusal | undefined {
    return this.refusals(flow).find((refused) => refused.uid === uid);
  }

  refusals(flow: SaidFlow): readonly (ReplicaRefusal & { readonly uid: string })[] {
    return this.#sources.get(flow)?.status().refused ?? [];
  }

  /** How many entries were sent since the last call began. */
  sent(flow: SaidFlow): number {
    return this.#entries.get(flow) ?? 0;
  }

  /** Until it is disposed. */
  call(ends: HubEnds): Disposable {
    const stop = new AbortController();
    const undo = new DisposableStack();
    undo.defer(() => stop.abort());
    this.#entries.clear();
    const ours = undo.use(new Exchange({ sources: this.#sources, targets: new Map(), clock: systemClock }));
    const theirs = undo.use(new Exchange({ ...ends, clock: systemClock }));
    this.#exchange = ours;
    void this.#carry(ours, theirs, stop.signal);
    void carry(theirs, ours, stop.signal);
    // The hub's ends tell their maker when there is work. Here they are asked often instead.
    const waking = setInterval(() => theirs.wake(), 5);
    undo.defer(() => clearInterval(waking));
    void ends.run(stop.signal).catch(() => undefined);
    return undo;
  }

  async #carry(from: Exchange, to: Exchange, signal: AbortSignal): Promise<void> {
    for await (const batch of from.batches(signal)) {
      for (const { flow, message } of batch) {
        if (message.case === "entry") this.#entries.set(flow as SaidFlow, this.sent(flow as SaidFlow) + 1);
      }
      to.receive(batch);
    }
  }

  #put(flow: SaidFlow, uid: string, content: ReplicaContent): void {
    this.#contents.set(`${flow} ${uid}`, content);
    this.#sources.get(flow)?.put(uid, content.version);
  }
}

async function carry(from: Exchange, to: Exchange, signal: AbortSignal): Promise<void> {
  for await (const batch of from.batches(signal)) to.receive(batch);
}
