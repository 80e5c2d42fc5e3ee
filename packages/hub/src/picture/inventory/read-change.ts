// From an agent's change to a row. An agent may only be trusted with its own cluster: everything that it says about an
// object is checked or cut to what a row can hold.

import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { isNestedDeeper, isRecord, parseExactJson } from "@fairlead/kernel";
import { isEventKind, readEventMs } from "@fairlead/kube";
import { type Change, cutAnnotation, hashUid, toVersion } from "@fairlead/protocol";
import { toStorableText } from "../../platform/store/index.ts";
import { assessHealth } from "../health/index.ts";
import { inventoryErrors } from "./errors.ts";
import type { ObjectNames, ObservedObject } from "./types.ts";
import { readUsage } from "./usage.ts";

export interface IncomingRow extends ObjectNames {
  readonly type: "apply";
  /** Signed, as the columns are. */
  readonly bucket: number;
  readonly version: bigint;
  readonly owners: readonly string[];
  readonly health: string | undefined;
  readonly healthMessage: string | undefined;
  readonly createdMs: number;
  /** Of an event: when it happened last, as it says. It counts as the time of its newest change. */
  readonly happenedMs?: number | undefined;
  readonly isCut: boolean;
  readonly wanted: bigint;
  readonly usage: unknown;
  readonly object: ObservedObject;
  /** JSON in UTF-8, as `jsonb` takes it. */
  readonly body: Uint8Array;
}

export interface Removal extends Pick<ObjectNames, "cluster" | "kind" | "uid"> {
  readonly type: "remove";
}

export type RowChange = IncomingRow | Removal;

/** Throws INVENTORY_OBJECT_INVALID. */
export function readChange(
  change: Change,
  options: { readonly cluster: string; readonly kind: string; readonly nowMs: number },
): RowChange {
  const { cluster, kind, nowMs } = options;
  const { uid } = change;
  if (uid === "" || uid.length > 128 || uid.includes("\0"))
    throw inventoryErrors.INVENTORY_OBJECT_INVALID({ kind, reason: "its uid is empty or too long" });
  if (change.deleted) return { type: "remove", cluster, kind, uid };
  if (change.objectJson.byteLength > maxObjectBytes)
    throw inventoryErrors.INVENTORY_OBJECT_INVALID({ kind, reason: "it is larger than 4 MiB" });
  if (toVersion(change.objectJson) !== change.version)
    throw inventoryErrors.INVENTORY_OBJECT_INVALID({ kind, reason: "its version doesn't match its content" });

  const { json, body } = readBody(change.objectJson);
  const whole = parseObject(kind, json);
  if (whole.metadata.uid !== uid)
    throw inventoryErrors.INVENTORY_OBJECT_INVALID({ kind, reason: "its UID doesn't match its metadata" });
  // Answers over many clusters are written by recursion: one object mustn't break them all.
  const isTooDeep = isNestedDeeper(whole, mostLevels);
  const object = isTooDeep ? toStubObject(whole, "it is nested too deeply") : whole;
  const version = BigInt.asIntN(64, change.version);
  const { metadata } = object;
  const assessment = assessHealth(object);
  return {
    type: "apply",
    cluster,
    kind,
    uid,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    bucket: hashUid(uid) | 0,
    version,
    labels: readLabels(metadata.labels),
    owners: readOwners(metadata["ownerReferences"]),
    health: assessment?.health,
    healthMessage: assessment?.message?.slice(0, 1024),
    createdMs: readTime(metadata.creationTimestamp, nowMs),
    happenedMs: isEventKind(kind) ? readEventTime(object, nowMs) : undefined,
    isCut: isRecord(metadata.annotations) && Object.hasOwn(metadata.annotations, cutAnnotation),
    wanted: isTooDeep ? version : hashWanted(object),
    usage: readUsage(kind, object),
    object,
    body: isTooDeep ? Buffer.from(JSON.stringify(object)) : body,
  };
}

/** For an object that the database can't take: what is known of it without its content. */
export function toStub(row: IncomingRow): IncomingRow {
  const object = toStubObject(row.object, "the hub's database can't hold it");
  return {
    ...row,
    isCut: true,
    labels: {},
    owners: [],
    healthMessage: undefined,
    object,
    body: Buffer.from(JSON.stringify(object)),
  };
}

function toStubObject({ apiVersion, kind, metadata }: ObservedObject, why: string): ObservedObject {
  const { uid, name, namespace = "" } = metadata;
  return {
    ...(typeof apiVersion === "string" ? { apiVersion: toStorableText(apiVersion, 320) } : {}),
    ...(typeof kind === "string" ? { kind: toStorableText(kind, 64) } : {}),
    metadata: {
      uid,
      name,
      ...(namespace === "" ? {} : { namespace }),
      annotations: { [cutAnnotation]: why },
    },
  };
}

function readBody(bytes: Uint8Array): { readonly json: string; readonly body: Uint8Array } {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const storable = toStorableJson(json);
  return { json: storable, body: storable === json && isUtf8(bytes) ? bytes : Buffer.from(storable) };
}

/** Escapes that JSON allows and `jsonb` refuses, NUL and halves of surrogate pairs, become U+FFFD. */
function toStorableJson(json: string): string {
  if (!/\\u(?:0000|[dD][89a-fA-F])/.test(json)) return json;
  return json.replace(
    /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([0-9a-fA-F]{4})|.)/g,
    (escaped, code: string | undefined) => {
      const unit = code === undefined ? 1 : Number.parseInt(code, 16);
      return unit === 0 || (unit >= 0xd800 && unit <= 0xdfff) ? "\\ufffd" : escaped;
    },
  );
}

function parseObject(kind: string, json: string): ObservedObject {
  let value: unknown;
  try {
    value = parseExactJson(json, { mostValues: mostExactValues });
  } catch {
    throw inventoryErrors.INVENTORY_OBJECT_INVALID({ kind, reason: "it isn't JSON" });
  }
  if (!isRecord(value) || !isRecord(value["metadata"]))
    throw inventoryErrors.INVENTORY_OBJECT_INVALID({ kind, reason: "it isn't an object with metadata" });
  const { name, namespace } = value["metadata"];
  if (typeof name !== "string" || name === "" || name.length > 512)
    throw inventoryErrors.INVENTORY_OBJECT_INVALID({ kind, reason: "it has no usable name" });
  if (namespace !== undefined && (typeof namespace !== "string" || namespace.length > 253)) {
    throw inventoryErrors.INVENTORY_OBJECT_INVALID({ kind, reason: "it has no usable namespace" });
  }
  return value as ObservedObject;
}

function readLabels(labels: unknown): Readonly<Record<string, string>> {
  if (!isRecord(labels)) return {};
  const isPlain = Object.values(labels).every((value) => typeof value === "string");
  if (isPlain) return labels as Record<string, string>;
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function readOwners(references: unknown): readonly string[] {
  if (!Array.isArray(references)) return [];
  const uids = references.map((reference: unknown) => (isRecord(reference) ? reference["uid"] : undefined));
  return uids.filter((uid) => typeof uid === "string" && uid !== "" && uid.length <= 128).slice(0, 64) as string[];
}

/** A cluster's clock may be anything; a time that can't be is told as now. */
function readTime(text: unknown, nowMs: number): number {
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return ms > 0 && ms < nowMs + 366 * 86_400_000 ? ms : nowMs;
}

/** Events of a cluster whose clock is ahead stay in their order; one far ahead isn't the newest of all for ever. */
function readEventTime(event: ObservedObject, nowMs: number): number | undefined {
  const ms = readEventMs(event);
  return ms === undefined || ms <= 0 ? undefined : Math.min(ms, nowMs + mostAheadMs);
}

/** The same as long as nobody wants something else of the object, whatever becomes of its status. */
function hashWanted(object: ObservedObject): bigint {
  const { status: _status, metadata, ...rest } = object;
  const { generation, labels, annotations, deletionTimestamp } = metadata;
  const wanted =
    typeof generation === "number"
      ? [generation, labels, deletionTimestamp]
      : [rest, labels, annotations, metadata["finalizers"], deletionTimestamp];
  return hash("sha1", JSON.stringify(wanted), "buffer").readBigInt64BE();
}

const maxObjectBytes = 4 * 1024 * 1024;
/** More than an honest object of the default limit (256 KiB) has. */
const mostExactValues = 100_000;
const mostAheadMs = 3_600_000;
/** The deepest schemas of CRDs have a hundred or so. */
const mostLevels = 500;
