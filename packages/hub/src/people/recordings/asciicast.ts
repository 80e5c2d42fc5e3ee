// asciicast v2: a line about the session, then a line for each thing that happened.
import { StringDecoder } from "node:string_decoder";
import type { Channel, SessionStart } from "./types.ts";

export class Asciicast {
  readonly #start: SessionStart;
  readonly #withInput: boolean;
  readonly #decoders: Partial<Record<Channel, StringDecoder>> = {};
  #size = { width: 80, height: 24 };
  #hasHead = false;

  constructor(start: SessionStart, options: { readonly withInput: boolean }) {
    this.#start = start;
    this.#withInput = options.withInput;
  }

  /** Lines for the bytes; empty when nothing is to be seen yet. */
  write(channel: Channel, bytes: Uint8Array, atMs: number): string {
    switch (channel) {
      case "stdout":
      case "stderr":
        return this.#addText("o", channel, bytes, atMs);
      case "stdin":
        return this.#withInput ? this.#addText("i", channel, bytes, atMs) : "";
      case "resize":
        return this.#resize(bytes, atMs);
      case "error":
        return "";
    }
  }

  /** The head, when nothing has happened. */
  finish(): string {
    return this.#takeHead();
  }

  #addText(kind: "o" | "i", channel: Channel, bytes: Uint8Array, atMs: number): string {
    // A character may be cut between two pieces.
    this.#decoders[channel] ??= new StringDecoder("utf8");
    const text = this.#decoders[channel].write(bytes);
    return text === "" ? "" : this.#takeHead() + formatEvent(atMs, kind, text);
  }

  #resize(bytes: Uint8Array, atMs: number): string {
    const size = readSize(bytes);
    if (!size) return "";
    if (!this.#hasHead) {
      this.#size = size;
      return this.#takeHead();
    }
    return formatEvent(atMs, "r", `${size.width}x${size.height}`);
  }

  #takeHead(): string {
    if (this.#hasHead) return "";
    this.#hasHead = true;
    const { at, principal, cluster, attributes, requestId } = this.#start;
    const { subresource, namespace, name } = attributes;
    const head = {
      version: 2,
      ...this.#size,
      timestamp: Math.floor(at / 1_000),
      title: `${principal.name}: ${subresource} in ${cluster}/${namespace}/${name} (${requestId})`,
      env: { TERM: "xterm-256color" },
    };
    return `${JSON.stringify(head)}\n`;
  }
}

function formatEvent(atMs: number, kind: string, text: string): string {
  return `[${(Math.max(0, atMs) / 1_000).toFixed(6)}, "${kind}", ${JSON.stringify(text)}]\n`;
}

/** `{"Width":80,"Height":24}`, as clients of Kubernetes send it. */
function readSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
    if (!isSize(width) || !isSize(height)) return undefined;
    return { width, height };
  } catch {
    return undefined;
  }
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;
}
