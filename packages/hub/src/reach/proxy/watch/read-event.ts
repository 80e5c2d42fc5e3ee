// Reads of a whole event of a watch just what a bookmark is made of. It is called for each event, so it stops at the last
// thing that it looks for, and in JSON everything else is passed over and not decoded.

import type { WatchFormat } from "./event-tracker.ts";
import { JsonCursor } from "./json-cursor.ts";
import { readCbor } from "./read-cbor.ts";

export interface EventFacts {
  readonly type: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly resourceVersion: string;
}

/** Undefined for bytes that aren't an event, and for an object without a version. */
export function readEvent(format: WatchFormat, event: Uint8Array): EventFacts | undefined {
  const bytes = Buffer.from(event.buffer, event.byteOffset, event.byteLength);
  try {
    const { type, apiVersion, kind, resourceVersion } = readers[format](bytes);
    const isWhole =
      [type, apiVersion, kind].every(isText) && isText(resourceVersion) && isVersion.test(resourceVersion);
    return isWhole ? ({ type, apiVersion, kind, resourceVersion } as EventFacts) : undefined;
  } catch {
    return undefined;
  }
}

type Found = { -readonly [Name in keyof EventFacts]?: unknown };

const readers: Readonly<Record<WatchFormat, (bytes: Buffer) => Found>> = {
  json: readJson,
  protobuf: readProtobuf,
  cbor(bytes) {
    const { type, object } = toMembers(readCbor(bytes));
    const { apiVersion, kind, metadata } = toMembers(object);
    const { resourceVersion } = toMembers(metadata);
    return { type, apiVersion, kind, resourceVersion };
  },
};

function readJson(bytes: Buffer): Found {
  const cursor = new JsonCursor(bytes);
  const found: Found = {};
  const isFound = (): boolean =>
    found.type !== undefined &&
    found.apiVersion !== undefined &&
    found.kind !== undefined &&
    found.resourceVersion !== undefined;
  for (const key of cursor.members()) {
    if (key === "type") found.type = cursor.text();
    else if (key !== "object") cursor.skip();
    else
      for (const name of cursor.members()) {
        if (name === "apiVersion" || name === "kind") found[name] = cursor.text();
        else if (name !== "metadata") cursor.skip();
        else
          for (const fact of cursor.members()) {
            if (fact !== "resourceVersion") cursor.skip();
            else found.resourceVersion = cursor.text();
            if (isFound()) return found;
          }
        if (isFound()) return found;
      }
  }
  return found;
}

/** By the numbers of `watch.proto` and `runtime.Unknown`, behind the length of the frame. */
function readProtobuf(frame: Buffer): Found {
  const event = frame.subarray(4);
  const raw = fieldOf(fieldOf(event, 2), 1);
  if (raw.toString("latin1", 0, 4) !== "k8s\0") return {};
  const unknown = raw.subarray(4);
  const typeMeta = fieldOf(unknown, 1);
  const metadata = fieldOf(fieldOf(unknown, 2), 1);
  const [type, apiVersion, kind, resourceVersion] = [
    fieldOf(event, 1),
    fieldOf(typeMeta, 1),
    fieldOf(typeMeta, 2),
    fieldOf(metadata, 6),
  ].map(String);
  return { type, apiVersion, kind, resourceVersion };
}

/** The first field of this number, which has a length. Throws where there is none. */
function fieldOf(message: Buffer, id: number): Buffer {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at];
      at += 1;
      if (byte === undefined || scale > 2 ** 63) throw broken();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.byteLength) {
    const key = varint();
    const wire = key % 8;
    const sizeBytes = wire === 2 ? varint() : wire === 1 ? 8 : wire === 5 ? 4 : 0;
    if (wire === 0) varint();
    else if (wire !== 1 && wire !== 2 && wire !== 5) throw broken();
    if (at + sizeBytes > message.byteLength) throw broken();
    if (wire === 2 && Math.floor(key / 8) === id) return message.subarray(at, at + sizeBytes);
    at += sizeBytes;
  }
  throw broken();
}

function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  return value instanceof Map ? Object.fromEntries(value) : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 512;
}

function broken(): Error {
  return new Error("not an event");
}

/** A number from Kubernetes' own servers; other servers may have other words for it. */
const isVersion = /^[\x21-\x7e]{1,128}$/;
