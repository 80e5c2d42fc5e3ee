// Puts objects by the thousand where an API server keeps them: there it is a fraction of the work that they are for the
// API server. Those who list and watch them can't tell the difference.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { splitIntoTransactions, toBase64 } from "./etcd-api.ts";

export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** An object with the `uid` of an existing one takes its place. */
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}

export interface PutOptions {
  /**
   * Many in one transaction, for small objects that nobody watches yet. They get one resource version, and a watch that
   * broke off among them would go on behind them all.
   */
  readonly isUnwatched?: boolean;
}

/** `resource` is a plural, such as `events`, behind `GROUP/` unless the group is the core's. */
export async function putObjects(
  etcdUrl: string,
  resource: string,
  objects: readonly StoredObject[],
  { isUnwatched = false }: PutOptions = {},
): Promise<void> {
  const creationTimestamp = new Date().toISOString().replace(/\.\d+Z/, "Z");
  const puts = objects.map((object) => {
    const { name, namespace } = object.metadata;
    const metadata = { uid: randomUUID(), creationTimestamp, ...object.metadata };
    const key = ["/registry", resource, ...(namespace === undefined ? [] : [namespace]), name].join("/");
    return { key: toBase64(key), value: toBase64(JSON.stringify({ ...object, metadata })) };
  });
  const calls = isUnwatched
    ? splitIntoTransactions(puts).map((some) => ({
        path: "txn",
        body: { success: some.map((requestPut) => ({ requestPut })) },
      }))
    : puts.map((body) => ({ path: "put", body }));
  // By tens of thousands, `fetch` would take longer than etcd does.
  using undo = new DisposableStack();
  const agent = undo.adopt(new Agent({ keepAlive: true }), (one) => one.destroy());
  const left = calls.values();
  const worker = async (): Promise<void> => {
    for (const { path, body } of left) await send(agent, `${etcdUrl}/v3/kv/${path}`, body);
  };
  await Promise.all(Array.from({ length: callsAtOnce }, worker));
}

async function send(agent: Agent, url: string, body: object): Promise<void> {
  const call = request(url, { method: "POST", agent });
  call.end(JSON.stringify(body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`etcd answered ${response.statusCode}: ${answer}`);
}

const callsAtOnce = 16;
