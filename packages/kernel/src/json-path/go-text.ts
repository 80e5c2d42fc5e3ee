// Values as Go writes them: kubectl and the API server print what a path leads to with Go's fmt and encoding/json.

import { isRawNumber } from "../exact-json.ts";

/** What has no members, as Go's fmt prints it. */
export function printScalar(value: unknown): string {
  if (typeof value === "number") return printNumber(value);
  if (!isRawNumber(value)) return String(value);
  return isLong(value.rawJSON) ? value.rawJSON : printNumber(Number(value.rawJSON));
}

/** Numbers are whole, or floats with an exponent earlier than in JavaScript. */
function printNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return String(value);
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf("e") + 1));
  if (exponent >= -4 && exponent < 6) return String(value);
  return text.replace(/(?<=e[+-])\d$/, (digit) => `0${digit}`);
}

/** JSON with sorted members, and without characters that HTML knows. */
export function writeGoJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeGoJson).join(",")}]`;
  if (typeof value !== "object" || value === null || isRawNumber(value)) return writeGoScalar(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .sort(byName)
    .map(([name, member]) => `${writeGoScalar(name)}:${writeGoJson(member)}`)
    .join(",")}}`;
}

/** The JSON of what has no members. */
export function writeGoScalar(value: unknown): string {
  if (isRawNumber(value) && !isLong(value.rawJSON)) return JSON.stringify(Number(value.rawJSON));
  const text = JSON.stringify(value) ?? "null";
  return typeof value === "string" ? text.replace(/[<>&\u2028\u2029]/g, escapeCharacter) : text;
}

/** A whole number of Go's 64 bits; what is larger is a float there. */
function isLong(text: string): boolean {
  return /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
