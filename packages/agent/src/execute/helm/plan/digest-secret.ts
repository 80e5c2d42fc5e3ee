import { scryptSync } from "node:crypto";

/**
 * A slow digest of parts that may hold secret values. The hub gets it, and somebody who knows the rest shouldn't be
 * able to try out many values a second.
 */
export function digestSecret(...parts: readonly unknown[]): string {
  return scryptSync(JSON.stringify(parts), "fairlead helm plan", 32, { N: 2 ** 14, r: 8, p: 1 }).toString("hex");
}
