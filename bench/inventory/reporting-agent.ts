// An agent's half of the inventory's call, said by hand: a hub can't tell it from one that has a cluster.
import { createClient } from "@connectrpc/connect";
import { attachLink, createLinkTransport, InventoryService, type SyncResponse, toVersion } from "@fairlead/protocol";
import type { TestHub } from "@fairlead/testkit";
import { dialHub, type EnrolledAgent, sayHello } from "../harness/enrolled-agents.ts";

type Requests = Parameters<ReturnType<typeof createClient<typeof InventoryService>>["sync"]>[0];
type Request = NonNullable<(Requests extends AsyncIterable<infer Each> ? Each : never)["message"]>;

export interface ReportedKind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

export interface ReportedObject {
  readonly metadata: { readonly uid: string };
}

export interface ReportingAgent extends Disposable {
  readonly cluster: string;
  /** Resolves when the hub has them. Kinds are meant by their place in the list. */
  report(kind: number, objects: readonly ReportedObject[]): Promise<void>;
  /** All that was reported of all kinds is all that there is. */
  finish(): void;
}

const perBatch = 100;

export async function startReporting(options: {
  hub: TestHub;
  agent: EnrolledAgent;
  kinds: readonly ReportedKind[];
}): Promise<ReportingAgent> {
  const { hub, agent, kinds } = options;
  const { cluster } = agent;
  const socket = await dialHub(agent, hub);
  if (!socket) throw new Error(`${cluster} can't reach the hub`);
  const link = attachLink({
    socket,
    accept() {
      throw new Error("nothing is served here");
    },
  });
  if (!(await sayHello(link, agent))) throw new Error(`${cluster} isn't welcome`);
  const { queue, requests } = createQueue();
  const client = createClient(InventoryService, createLinkTransport({ link }));
  const answers = client.sync(requests())[Symbol.asyncIterator]();
  const start = { kubeSystemUid: cluster, agentInstanceId: cluster, leaseEpoch: 1n, sentAtMs: BigInt(Date.now()) };
  queue({ case: "start", value: start });
  await until(answers, "welcome");
  const changed = kinds.map((kind, id) => ({ ...kind, id, namespaced: true, state: "listing" }));
  queue({ case: "kinds", value: { changed } });
  const alive = () => {
    const ages = kinds.map((_, kind) => ({ kind, verifiedMsAgo: 0 }));
    queue({ case: "alive", value: { ages } });
  };
  const timer = setInterval(alive, 5_000);
  let sequence = 0n;
  return {
    cluster,
    async report(kind, objects) {
      for (let at = 0; at < objects.length; at += perBatch) {
        const changes = objects.slice(at, at + perBatch).map((object) => toChange(kind, object));
        sequence += 1n;
        queue({ case: "batch", value: { sequence, changes, oldestAgeMs: 0 } });
        await until(answers, "ack");
      }
    },
    finish() {
      const synced = changed.map((kind) => ({ ...kind, state: "synced" }));
      queue({ case: "kinds", value: { changed: synced, complete: true } });
      alive();
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      link.close("the benchmark is over");
    },
  };
}

function toChange(kind: number, object: ReportedObject) {
  const objectJson = Uint8Array.from(Buffer.from(JSON.stringify(object)));
  return { kind, uid: object.metadata.uid, version: toVersion(objectJson), objectJson };
}

async function until(answers: AsyncIterator<SyncResponse>, wanted: "welcome" | "ack"): Promise<void> {
  for (;;) {
    const { done, value } = await answers.next();
    if (done) throw new Error("the hub ended an agent's call");
    if (value.message.case === wanted) return;
  }
}

function createQueue() {
  const waiting: Request[] = [];
  let wake = () => {};
  return {
    queue(message: Request) {
      waiting.push(message);
      wake();
    },
    async *requests() {
      for (;;) {
        for (const message of waiting.splice(0)) yield { message };
        if (waiting.length > 0) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
