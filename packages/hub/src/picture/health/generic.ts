import type { Fields } from "@fairlead/kube";
import type { Assessment } from "./types.ts";

/** kstatus: what isn't observed yet is in progress; then the conditions that most controllers have in common. */
export function assessGeneric(object: Fields): Assessment | undefined {
  if (!object.at("status").exists) return undefined;
  if (!object.isObserved) return { health: "Progressing", message: "Its controller hasn't seen the newest change." };
  const stalled = object.condition("Stalled");
  if (stalled?.status === "True") return { health: "Degraded", message: stalled.message };
  const reconciling = object.condition("Reconciling");
  if (reconciling?.status === "True") return { health: "Progressing", message: reconciling.message };
  const ready = object.condition("Ready") ?? object.condition("Available");
  switch (ready?.status) {
    case undefined:
      return undefined;
    case "True":
      return { health: "Healthy", message: ready?.message };
    case "False":
      return { health: "Degraded", message: ready?.message };
    default:
      return { health: "Progressing", message: ready?.message };
  }
}
