import type { KubeMetadata } from "@fairlead/kube";
import type { InventoryEntry } from "../inventory/inventory.ts";
import { setAnnotation } from "../prepare/set-mark.ts";
import type { Fate } from "./survey.ts";

/** Decides what becomes of an object that the set had, and doesn't name any more. When in doubt it stays. */
export function judgeLeftover(options: {
  readonly entry: InventoryEntry;
  readonly found: Pick<KubeMetadata, "uid" | "annotations">;
  readonly mark: string;
  readonly isPruning: boolean;
}): Fate {
  const { entry, found, mark, isPruning } = options;
  const set = found.annotations?.[setAnnotation];
  if (entry.uid !== undefined && entry.uid !== found.uid)
    return { type: "release", isReplaced: true, message: "another client recreated it" };
  if (set !== undefined && set !== mark)
    return { type: "release", isReplaced: false, message: `it now belongs to the set ${set}` };
  // A run that died before it could say so may have made it.
  if (entry.uid === undefined && set !== mark)
    return { type: "release", isReplaced: false, message: "it isn't known whether the set created it" };
  if (found.annotations?.[pruneAnnotation] === "keep")
    return { type: "keep", message: `its annotation ${pruneAnnotation} says so` };
  if (!isPruning) return { type: "keep", message: "the set no longer names it, and prune is off" };
  return { type: "prune" };
}

const pruneAnnotation = "fairlead.dev/prune";
