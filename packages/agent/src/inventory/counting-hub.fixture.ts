// The hub's half of measuring the engine alone: uids and versions in memory, and nothing else. Says its port when it
// listens, and how many objects it has whenever it is asked.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  acceptLink,
  bucketOf,
  createRpcAcceptor,
  InventoryService,
  linkServerOptions,
  type SyncRequest,
} from "@fairlead/protocol";
import { WebSocketServer } from "ws";

const store = new Map<string, Map<string, bigint>>();
const server = new WebSocketServer(linkServerOptions);
const http = createServer();
const accept = createRpcAcceptor({ routes: (router) => router.service(InventoryService, { sync }) });
http.on("upgrade", (request, socket, head) =>
  server.handleUpgrade(request, socket, head, (webSocket) => acceptLink({ socket: webSocket, accept })),
);
http.listen(0, "127.0.0.1", () => process.send?.((http.address() as AddressInfo).port));
process.on("message", () => {
  let count = 0;
  for (const objects of store.values()) count += objects.size;
  process.send?.(count);
});
process.on("disconnect", () => process.exit());

async function* sync(requests: AsyncIterable<SyncRequest>): ReturnType<ServiceImpl<typeof InventoryService>["sync"]> {
  const keys = new Map<number, string>();
  const of = (kind: number): Map<string, bigint> => store.get(keys.get(kind) ?? "") ?? new Map<string, bigint>();
  for await (const { message } of requests) {
    switch (message.case) {
      case "start":
        yield { message: { case: "welcome", value: { maxUnackedBytes: 2 ** 21 } } };
        break;
      case "kinds":
        for (const { id, resource } of message.value.changed) {
          keys.set(id, resource);
          if (!store.has(resource)) store.set(resource, new Map());
        }
        break;
      case "compare": {
        const { kind, bucketCount } = message.value;
        const digests = new BigUint64Array(bucketCount);
        for (const [uid, version] of of(kind)) {
          const bucket = bucketOf(uid, bucketCount);
          digests[bucket] = (digests[bucket] ?? 0n) ^ version;
        }
        const value = { kind, bucketCount, objectCount: of(kind).size, digests: [...digests] };
        yield { message: { case: "digests", value } };
        break;
      }
      case "listBuckets": {
        const { kind, bucketCount, buckets } = message.value;
        const entries = new Map(buckets.map((bucket) => [bucket, [] as [string, bigint][]]));
        for (const entry of of(kind)) entries.get(bucketOf(entry[0], bucketCount))?.push(entry);
        for (const [bucket, found] of entries) {
          const value = { uids: found.map(([uid]) => uid), versions: found.map(([, version]) => version) };
          yield { message: { case: "bucketEntries", value: { kind, bucketCount, bucket, ...value } } };
        }
        break;
      }
      case "batch":
        for (const { kind, uid, deleted, version } of message.value.changes) {
          if (deleted) of(kind).delete(uid);
          else of(kind).set(uid, version);
        }
        yield { message: { case: "ack", value: { sequence: message.value.sequence } } };
        break;
      case "alive":
      case undefined:
        break;
      default:
        message satisfies never;
    }
  }
}
