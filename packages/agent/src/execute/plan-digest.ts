import { createHash } from "node:crypto";

/** Of what decides what a plan does. The order of members counts: the parts are made the same way each time. */
export function digestOfPlan(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
