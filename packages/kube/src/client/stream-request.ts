// A GET whose answer is read piece by piece: the API server waits while we don't take what it sent, and a stream from
// which nothing comes for too long ends in an error. Time that the reader takes for itself doesn't count as silence.
import { type Clock, isFairleadError, onAbort, systemClock } from "@fairlead/kernel";
import { kubeErrors, kubeUnreachable, toKubeError } from "../errors/index.ts";
import type { KubeClient } from "./client.ts";
import { ResponseReceiver } from "./response-receiver.ts";

export interface StreamRequest {
  readonly client: KubeClient;
  readonly path: string;
  readonly signal: AbortSignal;
  readonly silentMs: number;
  readonly headTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Resolves with the head of a 2xx answer. The generator has to be iterated (or returned): that releases the request.
 */
export async function openStream(request: StreamRequest): Promise<AsyncGenerator<Buffer, void, void>> {
  const { client, path, signal, clock = systemClock, headTimeoutMs = 60_000 } = request;
  const { pool, access } = client;
  const receiver = new ResponseReceiver();
  let cancelTimeout = (): void => undefined;
  using undo = new DisposableStack();
  try {
    signal.throwIfAborted();
    const authorization = await access.authorization();
    signal.throwIfAborted();
    undo.use(onAbort(signal, (reason) => receiver.abort(reason)));
    cancelTimeout = clock.after(headTimeoutMs, () =>
      receiver.abort(kubeErrors.KUBE_TIMEOUT({ server: access.server.host, timeoutMs: headTimeoutMs })),
    );
    const headers = { accept: "application/json", ...(authorization !== undefined && { authorization }) };
    pool.dispatch({ method: "GET", path: pool.basePath + path, headers, reset: false }, receiver);
    const httpStatus = await receiver.head;
    if (httpStatus >= 300) throw toKubeError({ httpStatus, body: parseRefusal(await readText(receiver)) });
    return readChunks(request, receiver, undo.move());
  } catch (error) {
    receiver.abort(new Error("given up"));
    throw explain(request, error);
  } finally {
    cancelTimeout();
  }
}

async function* readChunks(
  request: StreamRequest,
  receiver: ResponseReceiver,
  undo: Disposable,
): AsyncGenerator<Buffer, void, void> {
  const { client, silentMs, clock = systemClock } = request;
  using _undo = undo;
  try {
    for (;;) {
      const chunk = receiver.take();
      if (chunk) {
        yield chunk;
      } else if (receiver.hasEnded) {
        return;
      } else {
        const cancel = clock.after(silentMs, () =>
          receiver.abort(kubeErrors.KUBE_SILENT({ server: client.access.server.host, silentMs })),
        );
        await receiver.wait().finally(cancel);
      }
    }
  } catch (error) {
    throw explain(request, error);
  } finally {
    receiver.abort(new Error("not needed any more"));
  }
}

async function readText(receiver: ResponseReceiver): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  while (sizeBytes < maxRefusalBytes) {
    const chunk = receiver.take();
    if (!chunk && receiver.hasEnded) break;
    if (chunk) sizeBytes += chunks.push(chunk) && chunk.length;
    else await receiver.wait();
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseRefusal(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explain({ client, signal }: StreamRequest, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  return isFairleadError(error) ? error : kubeUnreachable(client.access.server.host, error);
}

const maxRefusalBytes = 1024 * 1024;
