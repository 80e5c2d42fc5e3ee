import { createHash } from "node:crypto";
import type { KubeMetadata } from "@fairlead/kube";

/**
 * Of all that people set, as far as it can be told from metadata: a generation counts changes of what is wanted.
 * Controllers write a status at any moment, so that a new resource version alone doesn't mean that applying changed
 * something. Undefined for objects without a generation.
 */
export function digestOf(metadata: KubeMetadata): string | undefined {
  const { resourceVersion: _version, managedFields: _managed, ...lasting } = metadata;
  if (lasting.generation === undefined) return undefined;
  return createHash("sha256").update(JSON.stringify(lasting)).digest("base64url").slice(0, 22);
}
