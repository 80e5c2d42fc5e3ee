import type { Dispatcher } from "undici";

/** Takes one answer from undici and keeps little of it: beyond a quarter of a MiB the connection waits for the reader. */
export class ResponseReceiver implements Dispatcher.DispatchHandler {
  /** The status code. */
  readonly head: Promise<number>;
  readonly #resolveHead: (status: number) => void;
  readonly #rejectHead: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #error: Error | undefined;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.head = promise;
    this.#resolveHead = resolve;
    this.#rejectHead = reject;
    // Given up before anyone waits for it, it mustn't count as unhandled.
    promise.catch(() => undefined);
  }

  /** True once everything came and was taken. */
  get hasEnded(): boolean {
    return this.#hasEnded && this.#chunks.length === 0;
  }

  /** Takes the next chunk, if it is here; throws when the answer broke off. */
  take(): Buffer | undefined {
    if (this.#error) throw this.#error;
    const chunk = this.#chunks.shift();
    if (!chunk) return undefined;
    this.#sizeBytes -= chunk.length;
    if (this.#sizeBytes <= maxQueuedBytes && this.#controller?.paused) this.#controller.resume();
    return chunk;
  }

  /** Until there is something to take, or an end of it. */
  async wait(): Promise<void> {
    if (this.#chunks.length > 0 || this.#hasEnded || this.#error) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  abort(reason: unknown): void {
    if (this.#hasEnded || this.#error) return;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    this.#fail(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error) controller.abort(this.#error);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#resolveHead(status);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#error) return;
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes > maxQueuedBytes) controller.pause();
    this.#notify();
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    this.#notify();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#chunks = [];
    this.#rejectHead(this.#error);
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

const maxQueuedBytes = 256 * 1024;
