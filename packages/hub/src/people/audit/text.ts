import { redact } from "@fairlead/kernel";

/** At most so many UTF-16 units. */
export function clip(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** A name as a column takes it: short, well formed and without NUL, which PostgreSQL refuses. */
export function cleanName(text: string): string {
  const short = clip(text, 256);
  return odd.test(short) ? Buffer.from(short.replaceAll("\0", "")).toString() : short;
}

/** Masked and cut. The few that there are come again and again, so what came out is kept. */
export function cleanAgent(text: string): string {
  const known = cleaned.get(text);
  if (known !== undefined) return known;
  const clean = clip(redact(text.slice(0, 1_024)), 256);
  if (cleaned.size >= 1_000) cleaned.clear();
  if (text.length <= 1_024) cleaned.set(text, clean);
  return clean;
}

const cleaned = new Map<string, string>();
const odd = /[\0\ud800-\udfff]/;
