// Picks the parts of an object that are compared, and says when two values mean the same to the API server.
import { parseQuantity } from "@fairlead/kernel";
import type { ClusterObject } from "../../snapshot/index.ts";
import { isMap } from "./align-items.ts";

/** Leaves out the fields that the API server and controllers write, and counts the texts of a Secret as its data. */
export function toComparable(object: ClusterObject): Readonly<Record<string, unknown>> {
  const { apiVersion: _apiVersion, kind: _kind, status: _status, metadata, ...rest } = object;
  const { labels, annotations, finalizers } = metadata;
  const named = { metadata: { labels, annotations, finalizers }, ...rest };
  if (object.kind !== "Secret") return named;
  const { stringData, data, ...others } = named as Readonly<Record<string, unknown>>;
  return { ...others, data: { ...decode(data), ...(isMap(stringData) ? stringData : {}) } };
}

function decode(data: unknown): Readonly<Record<string, unknown>> {
  if (!isMap(data)) return {};
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === "string" ? Buffer.from(value, "base64").toString("latin1") : value,
    ]),
  );
}

/** The API server leaves out what is empty, and writes quantities in its own way. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other || (isEmpty(one) && isEmpty(other))) return true;
  if (isMap(one) && isMap(other))
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => isSame(one[name], other[name]));
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isScalar(one) || !isScalar(other)) return false;
  return String(one) === String(other) || isSameQuantity(one, other);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.values(value).every(isEmpty);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isSameQuantity(one: unknown, other: unknown): boolean {
  const quantity = parseQuantity(one);
  return quantity !== 0 && quantity === parseQuantity(other);
}
