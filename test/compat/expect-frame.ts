// Whether a frame of today means what the recorded one meant. Texts for people, tokens of one's own choice and names
// made at random may differ; JSON may have more members than were recorded.
import { createHash } from "node:crypto";
import { readFrame, types } from "./frames.ts";

/** Undefined when they mean the same, else what was expected and what came. */
export function findDifference(recorded: Buffer, actual: Buffer): string | undefined {
  const expected = meaningOf(recorded, recorded);
  const got = meaningOf(actual, recorded);
  return expected === got ? undefined : `expected ${expected}, got ${got}`;
}

function meaningOf(message: Buffer, recorded: Buffer): string {
  const { type, name, stream, fin, says, json } = readFrame(message);
  const parts = [name, `stream ${stream}`, fin ? "fin" : "", says];
  if (type === types.data) parts.push(createHash("sha256").update(message.subarray(16)).digest("hex").slice(0, 16));
  if (json !== undefined) parts.push(JSON.stringify(only(readFrame(recorded).json, json)));
  return parts.filter((part) => part !== "").join(" ");
}

/** The members that were recorded, in their order, with today's values. */
function only(recorded: unknown, value: unknown): unknown {
  if (Array.isArray(recorded) && Array.isArray(value)) return value.map((item) => (isVersioned(item) ? "…" : item));
  if (!isObject(recorded) || !isObject(value)) return value;
  const entries = Object.keys(recorded).map((key) => [key, key === "session" ? "…" : only(recorded[key], value[key])]);
  return Object.fromEntries(entries);
}

/** The value of a line that names the library and its version. */
function isVersioned(item: unknown): boolean {
  return typeof item === "string" && /^connect-es\//.test(item);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
