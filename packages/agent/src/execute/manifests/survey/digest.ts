import { createHash } from "node:crypto";
import type { KubeMetadata } from "@fairlead/kube";

/**
 * The digest of all that people set, as far as metadata tells: the generation counts changes of the spec. Controllers
 * write a status at any moment, so a new resource version alone doesn't mean that applying changed something. Undefined
 * for objects without a generation.
 */
export function digestOf(metadata: KubeMetadata): string | undefined {
  const { resourceVersion: _version, managedFields: _managed, ...lasting } = metadata;
  if (lasting.generation === undefined) return undefined;
  return createHash("sha256").update(JSON.stringify(lasting)).digest("base64url").slice(0, 22);
}
