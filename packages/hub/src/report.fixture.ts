// An agent that reports what a test wants to a whole hub, over a link of its own.
import { createClient } from "@connectrpc/connect";
import { createLinkTransport, InventoryService, type SyncResponse, toVersion } from "@fairlead/protocol";
import { answer, call, dial, enroll, sayHello, type TestAnswer, type TestHub } from "./hub.fixture.ts";

export interface ReportedKind {
  readonly resource: string;
  readonly group?: string;
  readonly kind: string;
  readonly namespaced?: boolean;
  /** Made by the agent, as kinds of our group are. */
  readonly derived?: boolean;
  readonly shortNames?: readonly string[];
  readonly printerColumns?: readonly object[];
  readonly objects?: readonly ReportedObject[];
}

export interface ReportedObject {
  readonly name: string;
  readonly namespace?: string;
  readonly [field: string]: unknown;
}

/** Adds the cluster and reports; resolves when the hub has stored it all. The link stays open. */
export async function reportKinds(on: TestHub, cluster: string, kinds: readonly ReportedKind[]): Promise<void> {
  const link = await dial(await enroll(cluster, on, ["observe"]), on, answer(""));
  await sayHello(link, cluster);
  const start = { kubeSystemUid: cluster, agentInstanceId: "i1", leaseEpoch: 1n };
  const batches = kinds.flatMap(({ objects = [], ...kind }, index) =>
    objects.map((object) => toChange({ cluster, id: index + 1, kind, object })),
  );
  const credit = createCredit();
  async function* say(): AsyncGenerator<never> {
    yield { message: { case: "start", value: start } } as never;
    yield { message: { case: "kinds", value: { changed: kinds.map(toKind), complete: true } } } as never;
    for (const [index, change] of batches.entries()) {
      const value = { sequence: BigInt(index + 1), changes: [change] };
      yield { message: { case: "batch", value } } as never;
      await credit.take(change.objectJson.byteLength, value.sequence);
    }
    await link.closed;
  }
  const answers = createClient(InventoryService, createLinkTransport({ link })).sync(say())[Symbol.asyncIterator]();
  await untilStored(answers, { last: BigInt(batches.length), onStored: credit.giveBack });
}

/** The hub bounds what it hasn't stored yet. */
function createCredit() {
  const unstored = new Map<bigint, number>();
  let changed = Promise.withResolvers<void>();
  return {
    /** Resolves when the next batch may be sent. */
    async take(sizeBytes: number, sequence: bigint): Promise<void> {
      unstored.set(sequence, sizeBytes);
      while ([...unstored.values()].reduce((sum, each) => sum + each, 0) > creditBytes) await changed.promise;
    },
    giveBack(through: bigint): void {
      for (const sequence of unstored.keys()) if (sequence <= through) unstored.delete(sequence);
      changed.resolve();
      changed = Promise.withResolvers();
    },
  };
}

/** Reads what the API says to a bearer of the token, or to the admin. */
export function ask(on: TestHub, path: string, token?: string): Promise<TestAnswer> {
  const headers = token === undefined ? on.admin : { authorization: `Bearer ${token}` };
  return call(on.hub.peopleUrl, path, { headers });
}

/** A robot with a token and, for some clusters, a role. */
export async function addRobot(
  on: TestHub,
  name: string,
  grant?: { readonly role: string; readonly clusters: object },
): Promise<string> {
  const send = async (path: string, body: object): Promise<TestAnswer> => {
    const headers = { ...on.admin, "content-type": "application/json" };
    const sent = await call(on.hub.peopleUrl, path, { method: "POST", headers, body: JSON.stringify(body) });
    if ((sent.status ?? 500) > 299) throw new Error(`${path}: ${sent.text}`);
    return sent;
  };
  await send("/api/v1/robots", { name });
  if (grant) await send("/api/v1/bindings", { subject: { kind: "robot", name }, ...grant });
  const { json } = await send(`/api/v1/robots/${name}/tokens`, { ttlMs: 3_600_000 });
  return String((json as { token: string }).token);
}

function toKind({ objects: _, printerColumns, ...kind }: ReportedKind, index: number): object {
  const printerColumnsJson = printerColumns === undefined ? "" : JSON.stringify(printerColumns);
  return {
    id: index + 1,
    group: "",
    version: "v1",
    namespaced: true,
    state: "synced",
    ...kind,
    printerColumnsJson,
  };
}

function toChange(options: {
  readonly cluster: string;
  readonly id: number;
  readonly kind: ReportedKind;
  readonly object: ReportedObject;
}): { readonly kind: number; readonly uid: string; readonly version: bigint; readonly objectJson: Uint8Array } {
  const { cluster, id, kind, object } = options;
  const { name, namespace, ...rest } = object;
  const uid = `${cluster}-${kind.resource}-${namespace ?? ""}-${name}`;
  const apiVersion = kind.group === undefined ? "v1" : `${kind.group}/v1`;
  const metadata = {
    uid,
    name,
    ...(namespace !== undefined && { namespace }),
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  const objectJson = Uint8Array.from(Buffer.from(JSON.stringify({ apiVersion, kind: kind.kind, metadata, ...rest })));
  return { kind: id, uid, version: toVersion(objectJson), objectJson };
}

async function untilStored(
  answers: AsyncIterator<SyncResponse>,
  options: { readonly last: bigint; readonly onStored: (through: bigint) => void },
): Promise<void> {
  const { last, onStored } = options;
  for (let stored = -1n; stored < last; ) {
    const { done, value } = await answers.next();
    if (done) throw new Error("the report has ended");
    const { message } = value;
    // Without objects the welcome is all that is said.
    if (message.case === "welcome" && last === 0n) return;
    if (message.case !== "ack") continue;
    stored = message.value.sequence;
    onStored(stored);
  }
}

/** Less than any hub allows by the size of one object of these tests. */
const creditBytes = 512 * 1024;
