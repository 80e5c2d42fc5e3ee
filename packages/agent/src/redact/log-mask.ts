// Masks a log as it grows: known values, and what looks like a credential.
import { redact } from "@fairlead/kernel";
import type { KnownSecrets } from "./known-secrets.ts";
import { MaskedBytes } from "./masked.ts";
import { MaskingStream } from "./masking-stream.ts";

export class LogMask {
  readonly #stream: MaskingStream;

  constructor(secrets: KnownSecrets) {
    this.#stream = new MaskingStream(secrets);
  }

  /** Gives the bytes that can be let out by now. They may be a part of the chunk. */
  push(chunk: Uint8Array): MaskedBytes {
    return this.#maskCredentials(this.#stream.push(chunk));
  }

  /** The rest. */
  end(): MaskedBytes {
    return this.#maskCredentials(this.#stream.end());
  }

  /** Known values first: what looks like a credential might cut a value in two before. */
  #maskCredentials(bytes: Uint8Array): MaskedBytes {
    if (bytes.length === 0 || !this.#stream.takeHint()) return MaskedBytes.kept(bytes);
    return MaskedBytes.kept(Buffer.from(redact(Buffer.from(bytes).toString())));
  }
}
