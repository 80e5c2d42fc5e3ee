// Reading frames. One WebSocket message is one frame: type u8, flags u8, reserved u16, stream u32 (big endian), then
// the payload (docs/PROTOCOL.md has every byte). Bytes that can't be a frame throw, and the link ends. A frame with a
// bad head for one stream comes back as `malformed`, and only that stream ends.
import type { FairleadError } from "@fairlead/kernel";
import { wireErrors } from "./errors.ts";
import {
  dataHeaderBytes,
  frameFlags,
  frameTypes,
  headerBytes,
  maxDataBytes,
  maxFrameBytes,
  maxPartBytes,
  maxTextBytes,
  minPartBytes,
} from "./frame-types.ts";
import { type GoAway, parseGoAway } from "./go-away.ts";
import type { OpenHead, RawHeaders, ResponseHead } from "./head-types.ts";
import { parseHead, parseOpen, parseTrailers } from "./heads.ts";
import { type ResetCode, resetCodes } from "./reset-codes.ts";
import { type PeerSettings, parseSettings } from "./settings.ts";

export type Frame =
  | { readonly kind: "settings"; readonly settings: PeerSettings }
  | {
      readonly kind: "open";
      readonly stream: number;
      readonly fin: boolean;
      readonly open: OpenHead;
      readonly windowBytes: number;
    }
  | { readonly kind: "malformed-open"; readonly stream: number; readonly code: ResetCode; readonly text: string }
  | { readonly kind: "head"; readonly stream: number; readonly fin: boolean; readonly head: ResponseHead }
  | {
      readonly kind: "data";
      readonly stream: number;
      readonly fin: boolean;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: "end"; readonly stream: number; readonly trailers: RawHeaders }
  | { readonly kind: "reset"; readonly stream: number; readonly code: number; readonly text: string }
  | { readonly kind: "window"; readonly stream: number; readonly addBytes: number }
  | { readonly kind: "ping" | "pong"; readonly token: Uint8Array }
  | { readonly kind: "go-away"; readonly message: GoAway }
  | { readonly kind: "ack"; readonly number: number }
  | { readonly kind: "part"; readonly stream: number; readonly bytes: Uint8Array }
  | { readonly kind: "malformed"; readonly stream: number; readonly error: FairleadError }
  | { readonly kind: "ignored"; readonly type: number };

/** Gives the JSON of an OPEN or HEAD, also where some of it came in parts; undefined when nobody wants it any more. */
export type WholeHead = (stream: number, message: Buffer) => string | undefined;

export function readFrame(message: Uint8Array, wholeHead: WholeHead = (_, bytes) => headText(bytes)): Frame {
  const sizeBytes = message.byteLength;
  if (sizeBytes < headerBytes) throw wireErrors.LINK_FRAME_TRUNCATED({ sizeBytes });
  if (sizeBytes > maxFrameBytes) throw wireErrors.LINK_FRAME_TOO_LARGE({ sizeBytes, limitBytes: maxFrameBytes });
  const bytes = asBuffer(message);
  const type = bytes[0] as number;
  const fin = ((bytes[1] as number) & frameFlags.fin) !== 0;
  const stream = bytes.readUInt32BE(4);
  switch (type) {
    case frameTypes.data:
      return readData(bytes, needStream(stream), fin);
    case frameTypes.open:
    case frameTypes.head: {
      const json = wholeHead(needStream(stream), bytes);
      if (json === undefined) return { kind: "ignored", type };
      return type === frameTypes.open ? readOpen(json, stream, fin) : readHead(json, stream, fin);
    }
    case frameTypes.part:
      return readPart(bytes, needStream(stream));
    case frameTypes.end:
      return { kind: "end", stream: needStream(stream), trailers: noHeaders };
    case frameTypes.trailers:
      return readTrailers(bytes, needStream(stream));
    case frameTypes.window:
      if (sizeBytes < headerBytes + 4) throw wireErrors.LINK_FRAME_TRUNCATED({ sizeBytes });
      return { kind: "window", stream: needStream(stream), addBytes: bytes.readUInt32BE(headerBytes) };
    case frameTypes.reset:
      if (sizeBytes < headerBytes + 2) throw wireErrors.LINK_FRAME_TRUNCATED({ sizeBytes });
      return {
        kind: "reset",
        stream: needStream(stream),
        code: bytes.readUInt16BE(headerBytes),
        text: bytes.toString("utf8", headerBytes + 2, Math.min(sizeBytes, headerBytes + 2 + maxTextBytes)),
      };
    case frameTypes.ping:
    case frameTypes.pong:
      if (sizeBytes < headerBytes + 8) throw wireErrors.LINK_FRAME_TRUNCATED({ sizeBytes });
      return {
        kind: type === frameTypes.ping ? "ping" : "pong",
        token: bytes.subarray(headerBytes, headerBytes + 8),
      };
    case frameTypes.settings:
      return { kind: "settings", settings: parseSettings(headText(bytes)) };
    case frameTypes.goAway:
      return { kind: "go-away", message: parseGoAway(headText(bytes)) };
    case frameTypes.ack:
      if (sizeBytes < headerBytes + 8) throw wireErrors.LINK_FRAME_TRUNCATED({ sizeBytes });
      return { kind: "ack", number: readU64(bytes, headerBytes) };
    default:
      return { kind: "ignored", type };
  }
}

/** JSON that is in one frame. */
export function headText(bytes: Buffer): string {
  return bytes.toString("utf8", headerBytes);
}

function readData(bytes: Buffer, stream: number, fin: boolean): Frame {
  const sizeBytes = bytes.byteLength;
  if (sizeBytes < dataHeaderBytes) throw wireErrors.LINK_FRAME_TRUNCATED({ sizeBytes });
  if (sizeBytes > dataHeaderBytes + maxDataBytes)
    throw wireErrors.LINK_FRAME_TOO_LARGE({ sizeBytes, limitBytes: dataHeaderBytes + maxDataBytes });
  return { kind: "data", stream, fin, offset: readU64(bytes, 8), bytes: bytes.subarray(dataHeaderBytes) };
}

function readU64(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 4_294_967_296 + bytes.readUInt32BE(at + 4);
}

function readPart(bytes: Buffer, stream: number): Frame {
  const sizeBytes = bytes.byteLength;
  if (sizeBytes < headerBytes + minPartBytes) throw wireErrors.LINK_FRAME_INVALID({ text: "a small part of a head" });
  if (sizeBytes > headerBytes + maxPartBytes)
    throw wireErrors.LINK_FRAME_TOO_LARGE({ sizeBytes, limitBytes: headerBytes + maxPartBytes });
  return { kind: "part", stream, bytes: bytes.subarray(headerBytes) };
}

function readOpen(json: string, stream: number, fin: boolean): Frame {
  const parsed = parseOpen(json);
  switch (parsed.kind) {
    case "open":
      return { kind: "open", stream, fin, open: parsed.open, windowBytes: parsed.windowBytes };
    case "unknown-target":
      return { kind: "malformed-open", stream, code: resetCodes.unknownTarget, text: "" };
    case "malformed":
      return { kind: "malformed-open", stream, code: resetCodes.protocol, text: parsed.text };
  }
}

function readHead(json: string, stream: number, fin: boolean): Frame {
  const head = parseHead(json);
  if (!head)
    return { kind: "malformed", stream, error: wireErrors.LINK_FRAME_INVALID({ text: "the head of an answer" }) };
  return { kind: "head", stream, fin, head };
}

function readTrailers(bytes: Buffer, stream: number): Frame {
  const trailers = parseTrailers(headText(bytes));
  if (!trailers) return { kind: "malformed", stream, error: wireErrors.LINK_FRAME_INVALID({ text: "trailers" }) };
  return { kind: "end", stream, trailers };
}

function needStream(stream: number): number {
  if (stream === 0) throw wireErrors.LINK_FRAME_INVALID({ text: "a stream's frame without a stream" });
  return stream;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const noHeaders: RawHeaders = [];
