import { redact } from "@fairlead/kernel";

/** At most so many UTF-16 units, well formed and without NUL, which PostgreSQL doesn't take. */
export function clip(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
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
