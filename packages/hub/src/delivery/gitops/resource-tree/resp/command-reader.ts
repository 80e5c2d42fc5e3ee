// Takes a client's bytes apart into commands, wherever they are cut. Short ones are given whole. Longer ones are handed on
// in the pieces in which they came, so that no more than `wholeBytes` of a client's are ever kept.
// The form is that of https://redis.io/docs/latest/develop/reference/protocol-spec: `*COUNT`, then `$LENGTH` and the bytes.
import { resourceTreeErrors } from "../errors.ts";

export type RespCommandPart =
  | { readonly is: "whole"; readonly args: readonly Buffer[]; readonly raw: Buffer }
  /** A part of a command that is longer than `wholeBytes`; the first piece has its name. */
  | { readonly is: "piece"; readonly name: string | undefined; readonly isLast: boolean; readonly raw: Buffer };

export interface RespCommandLimits {
  readonly wholeBytes: number;
  readonly mostBytes: number;
  readonly mostArgs: number;
}

type Expected =
  | { readonly is: "count" }
  | { readonly is: "length" }
  | { readonly is: "bytes"; leftBytes: number }
  | { readonly is: "line-end"; leftBytes: number };

export class RespCommandReader {
  readonly #limits: RespCommandLimits;
  #expected: Expected = { is: "count" };
  #line = "";
  #argsLeft = 0;
  /** Where each argument is in the command. */
  #spans: { readonly start: number; readonly end: number }[] = [];
  /** Bytes of the command so far, and those of them that are kept. Pieces aren't. */
  #position = 0;
  #kept: Buffer[] = [];
  #isInPieces = false;

  constructor(limits: RespCommandLimits) {
    this.#limits = limits;
  }

  /** Throws RESOURCE_TREE_PROTOCOL: nothing behind it can be understood. */
  *read(chunk: Buffer): Generator<RespCommandPart> {
    let from = 0;
    let at = 0;
    while (at < chunk.length) {
      const taken = this.#take(chunk, at);
      at += taken;
      this.#position += taken;
      if (this.#position > this.#limits.mostBytes)
        throw protocol(`a command has more than ${this.#limits.mostBytes} bytes`);
      if (this.#expected.is !== "count" || this.#line !== "") continue;
      const part = this.#finish(chunk.subarray(from, at));
      if (part) yield part;
      from = at;
    }
    if (from === chunk.length) return;
    const piece = this.#keep(chunk.subarray(from));
    if (piece) yield piece;
  }

  /** Takes what belongs to what is expected; the number of bytes that it was. */
  #take(chunk: Buffer, at: number): number {
    const expected = this.#expected;
    switch (expected.is) {
      case "count":
      case "length":
        return this.#takeLine(chunk, at, expected.is);
      case "bytes": {
        const taken = Math.min(expected.leftBytes, chunk.length - at);
        expected.leftBytes -= taken;
        if (expected.leftBytes === 0) this.#expected = { is: "line-end", leftBytes: 2 };
        return taken;
      }
      case "line-end": {
        if (chunk[at] !== (expected.leftBytes === 2 ? carriageReturn : lineFeed))
          throw protocol("an argument is longer than its length");
        expected.leftBytes -= 1;
        if (expected.leftBytes === 0) this.#next();
        return 1;
      }
    }
  }

  #takeLine(chunk: Buffer, at: number, is: "count" | "length"): number {
    const end = chunk.indexOf(lineFeed, at);
    const taken = (end < 0 ? chunk.length : end + 1) - at;
    if (this.#line.length + taken > longestLine) throw protocol("a length has too many digits");
    this.#line += chunk.toString("latin1", at, at + taken);
    if (this.#line[0] !== (is === "count" ? "*" : "$"))
      throw protocol(is === "count" ? "a command begins with *" : "an argument begins with $");
    if (end < 0) return taken;
    const number = /^.(-?\d{1,10})\r\n$/.exec(this.#line)?.[1];
    if (number === undefined) throw protocol("a length isn't a number");
    this.#line = "";
    if (is === "count") this.#begin(Number(number));
    else this.#beginArgument(Number(number), taken);
    return taken;
  }

  #begin(count: number): void {
    if (count > this.#limits.mostArgs) throw protocol(`a command has more than ${this.#limits.mostArgs} arguments`);
    this.#argsLeft = Math.max(0, count);
    this.#expected = { is: this.#argsLeft === 0 ? "count" : "length" };
  }

  #beginArgument(lengthBytes: number, lineBytes: number): void {
    if (lengthBytes < 0 || this.#position + lengthBytes > this.#limits.mostBytes)
      throw protocol(`an argument has a length from 0 to ${this.#limits.mostBytes}`);
    const start = this.#position + lineBytes;
    if (!this.#isInPieces) this.#spans.push({ start, end: start + lengthBytes });
    this.#expected = lengthBytes === 0 ? { is: "line-end", leftBytes: 2 } : { is: "bytes", leftBytes: lengthBytes };
  }

  #next(): void {
    this.#argsLeft -= 1;
    this.#expected = { is: this.#argsLeft === 0 ? "count" : "length" };
  }

  /** The command has ended with these bytes. One without arguments is none, as in Redis. */
  #finish(rest: Buffer): RespCommandPart | undefined {
    const spans = this.#spans;
    const isWhole = !this.#isInPieces && this.#position <= this.#limits.wholeBytes;
    const raw = this.#kept.length === 0 ? rest : Buffer.concat([...this.#kept, rest]);
    const name = nameIn(raw, spans);
    this.#position = 0;
    this.#spans = [];
    this.#kept = [];
    const isFirst = !this.#isInPieces;
    this.#isInPieces = false;
    if (isFirst && spans.length === 0) return undefined;
    if (isWhole) return { is: "whole", args: spans.map(({ start, end }) => raw.subarray(start, end)), raw };
    return { is: "piece", name: isFirst ? name : undefined, isLast: true, raw };
  }

  #keep(rest: Buffer): RespCommandPart | undefined {
    if (!this.#isInPieces && this.#position <= this.#limits.wholeBytes) {
      // A copy: the chunk may be a small part of a large one.
      this.#kept.push(Buffer.from(rest));
      if (this.#kept.length === mostKept) this.#kept = [Buffer.concat(this.#kept)];
      return undefined;
    }
    const raw = this.#isInPieces ? rest : Buffer.concat([...this.#kept, rest]);
    const name = this.#isInPieces ? undefined : nameIn(raw, this.#spans);
    this.#kept = [];
    this.#spans = [];
    this.#isInPieces = true;
    return { is: "piece", name, isLast: false, raw };
  }
}

/** Empty for a name that isn't whole yet: no command of Redis is so long. */
function nameIn(raw: Buffer, [span]: readonly { readonly start: number; readonly end: number }[]): string {
  return span && span.end <= raw.length ? raw.toString("latin1", span.start, span.end).toLowerCase() : "";
}

function protocol(reason: string): Error {
  return resourceTreeErrors.RESOURCE_TREE_PROTOCOL({ reason });
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const longestLine = 16;
/** Many small ones would take more than their bytes. */
const mostKept = 32;
