import { createHmac, type KeyObject } from "node:crypto";
import { isRecord } from "@fairlead/kernel";
import type { KubeObject } from "@fairlead/kube";

/**
 * For Secrets and ConfigMaps: the keys stay, each value becomes a salted hash, which tells that a value changed and
 * nothing else about it. It covers where the value stands, so that equal values in two places look different.
 */
export function hideValues(object: KubeObject, salt: KeyObject): KubeObject {
  const { metadata } = object;
  const place = `${metadata.namespace ?? ""}/${metadata.name}`;
  const shape: Record<string, unknown> = { ...object };
  for (const field of valueFields) {
    const values = object[field];
    if (values === undefined || values === null) continue;
    shape[field] = isRecord(values)
      ? mapValues(values, (value, key) => hashValue(salt, `${place}\0${field}\0${key}`, value))
      : hashValue(salt, `${place}\0${field}`, values);
  }
  // Tools keep copies of a whole Secret in annotations of many names: what may be one isn't sent.
  const { annotations } = metadata;
  if (annotations) {
    const hidden = mapValues(annotations, (value, key) =>
      mayHoldValues(value) ? hashValue(salt, `${place}\0annotations\0${key}`, value) : value,
    );
    shape["metadata"] = { ...metadata, annotations: hidden };
  }
  return shape as KubeObject;
}

export function hashValue(salt: KeyObject, place: string, value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const hmac = createHmac("sha256", salt).update(`${place}\0${text}`);
  return `hmac-sha256:${hmac.digest("hex").slice(0, 16)}`;
}

function mayHoldValues(annotation: unknown): boolean {
  return typeof annotation !== "string" || annotation.length > maxPlainLength || /^\s*[[{]/.test(annotation);
}

function mapValues<T>(
  values: Readonly<Record<string, T>>,
  map: (value: T, key: string) => string | T,
): Record<string, string | T> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
}

const valueFields = ["data", "stringData", "binaryData"];
const maxPlainLength = 128;
