import type { KnownSecrets } from "./known-secrets.ts";
import { MaskingStream, mark } from "./masking-stream.ts";

/** A text that is whole. */
export function redactText(secrets: KnownSecrets, text: string): string {
  const stream = new MaskingStream(secrets);
  return Buffer.concat([stream.push(Buffer.from(text)), stream.end()]).toString();
}

/** Each string, name and number in a JSON value: its shape stays as it is. Undefined where JSON has no value. */
export function redactJson(secrets: KnownSecrets, value: unknown): unknown {
  if (typeof value === "string") return redactText(secrets, value);
  if (typeof value === "number") {
    const text = String(value);
    // A short secret that is a number would mask all such counts.
    return text.length >= 4 && redactText(secrets, text) !== text ? mark : value;
  }
  if (Array.isArray(value)) return value.map((item) => redactJson(secrets, item) ?? null);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redactText(secrets, name), redactJson(secrets, member)]),
  );
}
