// Asks a cluster's agent for what its Argo CD keeps of an application, over whichever link there is, another hub's too.
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { type Clock, isFairleadError, toFairleadError } from "@fairlead/kernel";
import { capabilities, createLinkTransport, type ReadResponse, ResourceTreeService } from "@fairlead/protocol";
import type { LinkList } from "../../../reach/links/index.ts";
import { withBoundedUnpacking } from "./bounded-unpacking.ts";
import type { CachedKey } from "./cached-key.ts";
import type { ClusterInfoKey } from "./cluster-info-key.ts";
import { createClusterSemaphores } from "./cluster-semaphores.ts";
import { resourceTreeErrors } from "./errors.ts";
import type { TreePlace } from "./place-of-key.ts";

export interface ClusterTrees {
  /** Undefined: the cluster has no such value, or is away. Disposing of the value ends the call. */
  read(place: TreePlace, key: CachedKey, signal: AbortSignal): Promise<TreeValue | undefined>;
  /** The info that the cluster's Argo CD has of it, as it is kept. Undefined: it has none. */
  readInfo(cluster: string, key: ClusterInfoKey, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Once when the channel is listened to and then after each publish, until the signal aborts or the call breaks. */
  watch(place: TreePlace, key: CachedKey, signal: AbortSignal): AsyncIterable<unknown>;
}

export interface TreeValue extends Disposable {
  readonly sizeBytes: number;
  /** Exactly so many bytes, or it throws. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

export function createClusterTrees(options: {
  readonly connections: LinkList["connections"];
  readonly clock: Clock;
}): ClusterTrees {
  const { connections, clock } = options;
  const places = createClusterSemaphores(mostInFlight);
  return {
    async read(place, key, signal) {
      const { cluster } = place;
      const link = choose(cluster, capabilities.resourceTrees);
      if (!link) return undefined;
      using undo = new DisposableStack();
      const ending = new AbortController();
      undo.defer(() => ending.abort(over));
      const call = AbortSignal.any([signal, ending.signal]);
      const giveUp = (): void =>
        ending.abort(resourceTreeErrors.RESOURCE_TREE_CLUSTER_FAILED({ cluster, reason: "no answer came in time" }));
      undo.defer(clock.after(longestMs, giveUp));
      const cancel = clock.after(beginningMs, giveUp);
      undo.defer(cancel);
      try {
        undo.use(await places.enter(cluster, call));
        const client = createClient(ResourceTreeService, createLinkTransport({ link, headTimeoutMs: beginningMs }));
        const { shard, isCompressed } = key;
        const answers = client.read({ application: toApplication(place, key), shard, isCompressed }, { signal: call });
        const pieces = answers[Symbol.asyncIterator]();
        const first = await pieces.next();
        cancel();
        if (first.done || !first.value.found) return undefined;
        const sizeBytes = Number(first.value.sizeBytes);
        if (sizeBytes > mostBytes) throw new Error(`it has ${sizeBytes} bytes`);
        const owned = undo.move();
        const exact = takeExactly(sizeBytes, first.value, { [Symbol.asyncIterator]: () => pieces });
        return {
          sizeBytes,
          pieces: isCompressed ? withBoundedUnpacking(exact, { mostBytes: mostUnpackedBytes }) : exact,
          [Symbol.dispose]: () => owned.dispose(),
        };
      } catch (error) {
        throw explain(cluster, call.aborted ? call.reason : error);
      }
    },

    async readInfo(cluster, { cacheVersion, isCompressed }, signal) {
      const link = choose(cluster, capabilities.clusterInfo);
      if (!link) return undefined;
      try {
        using _place = await places.enter(cluster, signal);
        const client = createClient(ResourceTreeService, createLinkTransport({ link, headTimeoutMs: beginningMs }));
        const { found, data } = await client.readClusterInfo({ cacheVersion, isCompressed }, { signal });
        return found ? data : undefined;
      } catch (error) {
        throw explain(cluster, error);
      }
    },

    async *watch(place, key, signal) {
      const link = choose(place.cluster, capabilities.resourceTrees);
      if (!link) return;
      const client = createClient(ResourceTreeService, createLinkTransport({ link, headTimeoutMs: beginningMs }));
      yield* client.watch({ application: toApplication(place, key) }, { signal });
    },
  };

  /** Undefined: no agent with this role is there. */
  function choose(cluster: string, ability: string): Parameters<typeof createLinkTransport>[0]["link"] | undefined {
    const links = connections(cluster, "gitops");
    const able = links.find(({ hello }) => hello?.capabilities.includes(ability));
    if (!able && links.some(({ hello }) => hello !== undefined))
      throw resourceTreeErrors.RESOURCE_TREE_UNSUPPORTED({ cluster });
    return able?.link;
  }
}

function toApplication({ namespace }: TreePlace, { name, part, cacheVersion }: CachedKey) {
  return { namespace, name, part, cacheVersion };
}

async function* takeExactly(
  sizeBytes: number,
  first: Pick<ReadResponse, "data">,
  rest: AsyncIterable<Pick<ReadResponse, "data">>,
): AsyncGenerator<Uint8Array> {
  let leftBytes = sizeBytes;
  const take = (data: Uint8Array): Uint8Array => {
    leftBytes -= data.byteLength;
    if (leftBytes < 0) throw new Error("the value is longer than was said");
    return data;
  };
  yield take(first.data);
  for await (const { data } of rest) yield take(data);
  if (leftBytes > 0) throw new Error("the value is shorter than was said");
}

function explain(cluster: string, thrown: unknown): Error {
  if (isFairleadError(thrown)) return thrown;
  const { code, rawMessage } = ConnectError.from(thrown);
  if (code === Code.Unimplemented) return resourceTreeErrors.RESOURCE_TREE_UNSUPPORTED({ cluster, cause: thrown });
  if (code === Code.ResourceExhausted) return resourceTreeErrors.RESOURCE_TREE_CLUSTER_BUSY({ cluster, cause: thrown });
  const reason = thrown instanceof ConnectError ? rawMessage : toFairleadError(thrown).message;
  return resourceTreeErrors.RESOURCE_TREE_CLUSTER_FAILED({ cluster, reason: reason.replace(/\.$/, ""), cause: thrown });
}

const over = new Error("the value isn't wanted any more");
const mostInFlight = 16;
const mostBytes = 16 * 1_024 * 1_024;
/** Argo CD on the hub unpacks a value as a whole. */
const mostUnpackedBytes = 128 * 1_024 * 1_024;
/** Until the first byte, the wait for a place included. */
const beginningMs = 5_000;
const longestMs = 60_000;
