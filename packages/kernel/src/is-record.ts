import { isRawNumber } from "./exact-json.ts";

/** True for what JSON calls an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
