// Answers what the hub asks of applications' cached state. The hub names an application and a part of it; which key or
// channel that is, is settled here.
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { Slots, toFairleadError } from "@fairlead/kernel";
import type {
  ReadClusterInfoRequest,
  ReadClusterInfoResponse,
  ReadRequest,
  ResourceTreeService,
  WatchRequest,
} from "@fairlead/protocol";
import { resourceTreeErrors } from "./errors.ts";
import { type ArgoNamespaces, channelOf, clusterInfoKeyOf, keyOf } from "./key.ts";
import type { ArgoRedis } from "./redis.ts";

export function createResourceTrees(options: {
  readonly redis: ArgoRedis;
  readonly argo: ArgoNamespaces;
  /** The agent stops: what the hub listens to ends, so that its link can drain. */
  readonly stopping: AbortSignal;
}): ServiceImpl<typeof ResourceTreeService> {
  const { redis, argo, stopping } = options;
  const slots = new Slots(mostReads);
  let reads = 0;
  let watches = 0;
  return {
    read: (request, context) => coded(read(request, context)),
    watch: (request, context) => coded(watch(request, context)),
    readClusterInfo: (request, context) => readClusterInfo(request, context).catch(throwCoded),
  };

  async function* read(request: ReadRequest, { signal }: HandlerContext): AsyncGenerator<Answer> {
    const key = keyOf(request, argo);
    using slot = await enter(signal);
    const value = await slot.read(key, mostBytes + 1);
    if (value === undefined) return yield { found: false };
    if (value.length > mostBytes) {
      const name = request.application?.name ?? "";
      throw resourceTreeErrors.RESOURCE_TREE_TOO_LARGE({ name, mostMib: mostBytes / mebibyte });
    }
    yield { found: true, sizeBytes: BigInt(value.length) };
    for (let at = 0; at < value.length; at += pieceBytes) yield { data: value.subarray(at, at + pieceBytes) };
  }

  async function readClusterInfo(
    request: ReadClusterInfoRequest,
    { signal }: HandlerContext,
  ): Promise<Pick<ReadClusterInfoResponse, "found"> & { readonly data?: Buffer }> {
    const key = clusterInfoKeyOf(request);
    using slot = await enter(signal);
    const data = await slot.read(key, mostInfoBytes + 1);
    if (data === undefined) return { found: false };
    if (data.length > mostInfoBytes)
      throw resourceTreeErrors.RESOURCE_TREE_REDIS_FAILED({ reason: "its cached state of the cluster is too large" });
    return { found: true, data };
  }

  /** A place among those who read at once. */
  async function enter(signal: AbortSignal): Promise<ReadingPlace> {
    if (reads >= mostReads + mostWaiting) throw resourceTreeErrors.RESOURCE_TREE_BUSY();
    reads += 1;
    using undo = new DisposableStack();
    undo.defer(() => {
      reads -= 1;
    });
    undo.defer(await slots.enter());
    signal.throwIfAborted();
    const owned = undo.move();
    return {
      read: async (key, most) =>
        await redis.readBeginning(key, most, AbortSignal.any([signal, AbortSignal.timeout(readMs)])),
      [Symbol.dispose]: () => owned.dispose(),
    };
  }

  async function* watch(request: WatchRequest, context: HandlerContext): AsyncGenerator<Record<string, never>> {
    const signal = AbortSignal.any([context.signal, stopping]);
    const channel = channelOf(request.application, argo);
    if (watches >= mostWatches) throw resourceTreeErrors.RESOURCE_TREE_BUSY();
    watches += 1;
    using undo = new DisposableStack();
    undo.defer(() => {
      watches -= 1;
    });
    // At most one message is due, however many changes come.
    let due = Promise.withResolvers<void>();
    undo.use(await redis.listen(channel, () => due.resolve()));
    const abort = (): void => due.resolve();
    signal.addEventListener("abort", abort);
    undo.defer(() => signal.removeEventListener("abort", abort));
    while (!signal.aborted) {
      yield {};
      await due.promise;
      due = Promise.withResolvers();
    }
  }
}

interface ReadingPlace extends Disposable {
  /** At most so many bytes of the value. */
  read(key: string, mostBytes: number): Promise<Buffer | undefined>;
}

interface Answer {
  readonly found?: boolean;
  readonly sizeBytes?: bigint;
  readonly data?: Uint8Array;
}

async function* coded<T>(answers: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* answers;
  } catch (thrown) {
    throwCoded(thrown);
  }
}

function throwCoded(thrown: unknown): never {
  const error = toFairleadError(thrown);
  const code = error.retryable ? Code.Unavailable : Code.FailedPrecondition;
  throw new ConnectError(`${error.code}: ${error.message}`, code, undefined, undefined, error);
}

const mebibyte = 1_024 * 1_024;
/** The size of one value. `mostReads` of them are held at once. */
const mostBytes = 16 * mebibyte;
const mostInfoBytes = mebibyte;
const mostReads = 4;
const mostWaiting = 128;
const mostWatches = 512;
const pieceBytes = 65_536;
const readMs = 10_000;
