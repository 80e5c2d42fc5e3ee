import { createHash } from "node:crypto";
import type { KubeObject } from "@fairlead/kube";

/**
 * Of all that people set. Controllers write a status at any moment, so that a new resource version alone doesn't mean
 * that applying changed something. Undefined for objects without a status: nobody but people changes these.
 */
export function digestOf(object: KubeObject): string | undefined {
  const { status, metadata, ...rest } = object;
  if (status === undefined) return undefined;
  const { resourceVersion: _version, managedFields: _managed, generation: _generation, ...lasting } = metadata;
  return createHash("sha256")
    .update(JSON.stringify([rest, lasting]))
    .digest("base64url")
    .slice(0, 22);
}
