// Argo CD on the hub, as clusters know it: the account that hubs make for it, and the group that its role gives. An agent
// lets it reach only what belongs to resources that Argo CD tracks.
import type { CallerIdentity } from "./link/index.ts";

export const argoCaller: { readonly robot: string; readonly group: string } = {
  robot: "fairlead-argocd",
  group: "fairlead:argocd",
};

/** By either: whoever has the rights of the group is bounded, and so is the account whatever else it is given. */
export function isArgoCaller({ user, groups }: Pick<CallerIdentity, "user" | "groups">): boolean {
  return user === `robot:${argoCaller.robot}` || groups.includes(argoCaller.group);
}
