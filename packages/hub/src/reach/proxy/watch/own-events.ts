// The events with which the hub ends a watch that it can't go on with. Clients take a stream that just ends for the usual
// end of a watch, or notice nothing; an event of the type ERROR with a Status they show, and list again. A BOOKMARK before
// it says how far the client has come.
import type { Status } from "../status.ts";
import type { WatchFormat } from "./event-tracker.ts";

/** An object of its kind with nothing but a version, as API servers send. */
export interface Bookmark {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resourceVersion: string;
}

export function encodeErrorEvent(format: WatchFormat, status: Status): Buffer {
  return encodeEvent(format, { type: "ERROR", object: status, encode: () => encodeStatus(status) });
}

export function encodeBookmark(format: WatchFormat, { apiVersion, kind, resourceVersion }: Bookmark): Buffer {
  const object = { kind, apiVersion, metadata: { resourceVersion } };
  // The metadata is the first field of every object, and the version its sixth.
  return encodeEvent(format, { type: "BOOKMARK", object, encode: () => field(1, field(6, resourceVersion)) });
}

interface OwnEvent {
  readonly type: "ERROR" | "BOOKMARK";
  readonly object: { readonly apiVersion: string; readonly kind: string };
  /** The object's own message in protobuf. */
  readonly encode: () => Buffer;
}

function encodeEvent(format: WatchFormat, { type, object, encode }: OwnEvent): Buffer {
  switch (format) {
    case "json":
      return Buffer.from(`${JSON.stringify({ type, object })}\n`);
    case "cbor":
      return encodeCbor({ type, object });
    case "protobuf": {
      const body = Buffer.concat([field(1, type), field(2, field(1, encodeEnvelope(object, encode())))]);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.byteLength);
      return Buffer.concat([length, body]);
    }
  }
}

/** `runtime.Unknown` behind Kubernetes' magic bytes, with the object within. */
function encodeEnvelope({ apiVersion, kind }: OwnEvent["object"], message: Buffer): Buffer {
  const typeMeta = Buffer.concat([field(1, apiVersion), field(2, kind)]);
  return Buffer.concat([Buffer.from("k8s\0"), field(1, typeMeta), field(2, message)]);
}

/** By the numbers of `k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto`. */
function encodeStatus({ status, message, reason, details, code }: Status): Buffer {
  const causes = details.causes.map((cause) =>
    field(4, Buffer.concat([field(1, cause.reason), field(2, cause.message)])),
  );
  const { uid, retryAfterSeconds } = details;
  const retry = retryAfterSeconds === undefined ? [] : [number(5, retryAfterSeconds)];
  return Buffer.concat([
    field(1, ""),
    field(2, status),
    field(3, message),
    field(4, reason),
    field(5, Buffer.concat([...causes, ...retry, field(6, uid)])),
    number(6, code),
  ]);
}

function field(id: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(id << 3) | 2]), varint(bytes.byteLength), bytes]);
}

function number(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([id << 3]), varint(value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}

/** What a Status is made of: objects, arrays, texts and small numbers. */
function encodeCbor(value: unknown): Buffer {
  if (typeof value === "number") return cborHead(0, value);
  if (typeof value === "string") {
    const bytes = Buffer.from(value);
    return Buffer.concat([cborHead(3, bytes.byteLength), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([cborHead(4, value.length), ...value.map(encodeCbor)]);
  const entries = Object.entries(value as object).filter(([, member]) => member !== undefined);
  return Buffer.concat([cborHead(5, entries.length), ...entries.flat().map(encodeCbor)]);
}

function cborHead(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  const head = Buffer.alloc(5);
  head.writeUInt8((major << 5) | 26);
  head.writeUInt32BE(argument, 1);
  return head;
}
