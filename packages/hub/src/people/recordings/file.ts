import { close, openSync, write } from "node:fs";
import { promisify } from "node:util";
import { recordingsErrors } from "./errors.ts";
import type { RecordingTarget } from "./types.ts";

/**
 * Appends to a new file from a queue in memory. Nobody waits for it: what goes wrong is thrown at the next `push`, and a
 * disk that doesn't keep up is something gone wrong.
 */
export class RecordingFile implements RecordingTarget {
  readonly #fd: number;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isWriting = false;
  #error: unknown;
  #onIdle: (() => void) | undefined;
  sizeBytes = 0;

  constructor(path: string) {
    try {
      this.#fd = openSync(path, "wx", 0o600);
    } catch (cause) {
      throw recordingsErrors.RECORDING_UNWRITABLE({ cause });
    }
  }

  push(text: string): void {
    if (this.#error) throw this.#error;
    const bytes = Buffer.from(text);
    if (this.#queuedBytes + bytes.length > maxQueuedBytes) throw recordingsErrors.RECORDING_SLOW();
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.sizeBytes += bytes.length;
    if (!this.#isWriting) void this.#writeOut();
  }

  fail(error: unknown): void {
    this.#error ??= error;
  }

  get error(): unknown {
    return this.#error;
  }

  async close(): Promise<void> {
    if (this.#isWriting) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await closeFile(this.#fd).catch((cause: unknown) => this.fail(recordingsErrors.RECORDING_UNWRITABLE({ cause })));
  }

  async #writeOut(): Promise<void> {
    this.#isWriting = true;
    while (this.#queue.length > 0) {
      let bytes = Buffer.concat(this.#queue);
      this.#queue = [];
      try {
        while (bytes.length > 0) {
          const { bytesWritten } = await writeFile(this.#fd, bytes);
          bytes = bytes.subarray(bytesWritten);
          this.#queuedBytes -= bytesWritten;
        }
      } catch (cause) {
        this.fail(recordingsErrors.RECORDING_UNWRITABLE({ cause }));
        break;
      }
    }
    this.#isWriting = false;
    this.#onIdle?.();
  }
}

const writeFile = promisify(write);
const closeFile = promisify(close);
const maxQueuedBytes = 8 * 1024 * 1024;
