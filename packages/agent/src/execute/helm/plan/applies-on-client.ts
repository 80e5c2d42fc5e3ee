import type { Release } from "@fairlead/kube";
import type { Begun } from "../begin.ts";

/** Helm 3 always does, and Helm 4 stays with the way in which a release was made. */
export function appliesOnClient(
  { helm }: Pick<Begun, "helm">,
  { before, isForced }: { readonly before: Release | undefined; readonly isForced: boolean },
): boolean {
  return helm.major === 3 || (before?.isClientSide === true && !isForced);
}
