import { createHash } from "node:crypto";

/**
 * The digest of all that decides what a plan does. Parts must be made the same way each time: members' order counts.
 */
export function digestOfPlan(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
