import { type ClusterCheck, few, pass, warn } from "../../checks/index.ts";
import { findUnboundClaims } from "../claims.ts";

export const claimsBound: ClusterCheck = {
  id: "storage.claims-bound",
  title: "Claims have their volumes",
  why: "A pod whose claim has no volume doesn't start. A claim whose class waits for its first consumer is fine until a pod uses it, and isn't named here.",
  severity: "recommended",
  features: ["volumes-rwo"],
  judge: ({ snapshot }) => {
    const unbound = findUnboundClaims(snapshot);
    if (unbound.length === 0) return pass("No claim waits for a volume that should be there.");
    return warn(
      `Without a volume: ${unbound.length === 1 ? "one claim" : `${unbound.length} claims`}.`,
      few(unbound).map(({ object, phase, className }) => ({
        object,
        path: "status.phase",
        observed: `${phase}, of the class ${className ?? "that is the default"}`,
        expected: "Bound",
      })),
    );
  },
};
