// Carries what the ends of all flows have to say over one call, and hands them what the other side says. The ends may
// outlive the call.
import { type Clock, onAbort } from "@fairlead/kernel";
import type { ReplicaMessage } from "../gen/fairlead/gitops/v1/gitops_pb.ts";
import type { Operation, OperationResult, OperationSource, ReplicaSource, ReplicaTarget } from "../replica/index.ts";
import { operationsFlow } from "./flows.ts";
import { fromWire, toWire } from "./wire.ts";

export interface ExchangeOptions {
  /** The ends that are here, by the names of their flows. */
  readonly sources: ReadonlyMap<string, ReplicaSource>;
  readonly targets: ReadonlyMap<string, ReplicaTarget>;
  /** Given on the side that hands operations over. */
  readonly operations?: OperationSource | undefined;
  /** Given on the side that starts operations. It always resolves with the outcome. */
  readonly start?: ((operation: Operation) => Promise<OperationResult>) | undefined;
  readonly clock: Clock;
}

/** Carries a call. The flows' ends are connected when it is made, and disconnected when it is disposed. */
export class Exchange implements Disposable {
  readonly #options: ExchangeOptions;
  readonly #results: OperationResult[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    for (const end of this.#ends()) end.connect();
  }

  /** Some end has something to say. To be called by every end's `onWork`. */
  wake(): void {
    this.#wake?.();
  }

  /** A flow that isn't here, and what a newer peer says, is passed over. */
  receive(messages: readonly ReplicaMessage[]): void {
    const { sources, targets, operations } = this.#options;
    for (const message of messages) {
      const said = fromWire(message);
      if (said?.to === "target") targets.get(message.flow)?.receive(said.message);
      else if (said?.to === "source") sources.get(message.flow)?.receive(said.message);
      else if (said?.to === "results") operations?.receive(said.result);
      else if (said?.to === "operations") void this.#start(said.operation);
    }
  }

  /** Yields messages for the other side, until the signal aborts. */
  async *batches(signal: AbortSignal): AsyncGenerator<ReplicaMessage[]> {
    while (!signal.aborted) {
      const messages = this.#take();
      if (messages.length > 0) yield messages;
      else await this.#untilWork(signal);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const end of this.#ends()) end.disconnect();
    this.wake();
  }

  *#ends(): Generator<ReplicaSource | ReplicaTarget | OperationSource> {
    const { sources, targets, operations } = this.#options;
    yield* sources.values();
    yield* targets.values();
    if (operations !== undefined) yield operations;
  }

  async #start(operation: Operation): Promise<void> {
    const result = await this.#options.start?.(operation);
    if (result === undefined || this.#isOver) return;
    this.#results.push(result);
    this.wake();
  }

  /** By turns, so that a flow with much to say doesn't hold the others up. */
  #take(): ReplicaMessage[] {
    const batch: ReplicaMessage[] = [];
    let sizeBytes = 0;
    let takers = this.#takers();
    while (takers.length > 0) {
      takers = takers.filter((take) => {
        if (batch.length >= maxMessages || sizeBytes >= maxBytes) return false;
        const message = take();
        if (message === undefined) return false;
        batch.push(message);
        sizeBytes += sizeOf(message);
        return true;
      });
    }
    return batch;
  }

  #takers(): (() => ReplicaMessage | undefined)[] {
    const { sources, targets, operations } = this.#options;
    return [
      () => {
        const result = this.#results.shift();
        return result && toWire(operationsFlow, { to: "results", result });
      },
      () => {
        const operation = operations?.take();
        return operation && toWire(operationsFlow, { to: "operations", operation });
      },
      ...[...targets].map(([flow, target]) => () => {
        const message = target.take();
        return message && toWire(flow, { to: "source", message });
      }),
      ...[...sources].map(([flow, source]) => () => {
        const message = source.take();
        return message && toWire(flow, { to: "target", message });
      }),
    ];
  }

  async #untilWork(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    using undo = new DisposableStack();
    undo.use(onAbort(signal, () => resolve()));
    const dueAtMs = this.#dueAtMs();
    const { clock } = this.#options;
    if (dueAtMs !== undefined) undo.defer(clock.after(Math.max(leastWaitMs, dueAtMs - clock.steadyMs()), resolve));
    await promise;
    this.#wake = undefined;
  }

  #dueAtMs(): number | undefined {
    const times = [...this.#ends()].map((end) => end.dueAtMs()).filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}

function sizeOf({ message }: ReplicaMessage): number {
  return message.case === "entry" || message.case === "operation" ? message.value.contentJson.byteLength + 100 : 100;
}

const maxMessages = 256;
/** The size of a batch; its last entry may exceed it. */
const maxBytes = 256 * 1024;
/** A message that is due may have to wait for room. */
const leastWaitMs = 50;
