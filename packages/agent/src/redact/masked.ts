// What leaves the cluster for a command, by type: text and bytes that are masked. Nothing else makes them, so that what
// wasn't masked can't be sent.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { KnownSecrets } from "./known-secrets.ts";
import { redactJson, redactText } from "./redact-json.ts";

declare const masked: unique symbol;

/** As a message to the hub has it. */
export type MaskedText = string & { readonly [masked]: true };

export class Masked {
  /** Also for what was said before any Secret was read. */
  static readonly nothing: Masked = new Masked("");
  readonly text: MaskedText;

  private constructor(text: string) {
    this.text = text as MaskedText;
  }

  static text(secrets: KnownSecrets, text: string): Masked {
    return new Masked(redactText(secrets, text));
  }

  /** The JSON of a value, which is masked in each of its strings, names and numbers. */
  static json(secrets: KnownSecrets, value: unknown): Masked {
    return new Masked(JSON.stringify(redactJson(secrets, value) ?? null));
  }

  /** What was masked before it was kept. For readers of what this agent has written alone. */
  static kept(text: string): Masked {
    return new Masked(text);
  }

  get bytes(): MaskedBytes {
    return MaskedBytes.kept(Buffer.from(this.text));
  }

  /** The beginning. A part of what is masked is masked. */
  first(length: number): Masked {
    return this.text.length <= length ? this : new Masked(this.text.slice(0, length));
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }
}

export class MaskedBytes extends Uint8Array<ArrayBufferLike> {
  static readonly nothing: MaskedBytes = new MaskedBytes(new ArrayBuffer(0), 0, 0);
  /** Parts and copies by the methods of any array are bytes as others. */
  static get [Symbol.species](): Uint8ArrayConstructor {
    return Uint8Array;
  }
  readonly #isMasked = true;

  private constructor(buffer: ArrayBufferLike, offset: number, length: number) {
    super(buffer, offset, length);
  }

  /** The same bytes, not copied. What was masked before it was kept, as above. */
  static kept(bytes: Uint8Array): MaskedBytes {
    return new MaskedBytes(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  static isMasked(value: object): boolean {
    return #isMasked in value;
  }

  first(length: number): MaskedBytes {
    return MaskedBytes.kept(this.subarray(0, length));
  }

  async compress(): Promise<MaskedBytes> {
    return MaskedBytes.kept(await compress(this, { level: 4 }));
  }
}

const compress = promisify(gzip);
