// The identity of an agent for which a service mesh vouches: nothing is enrolled, kept or renewed here. The mesh shows the
// hub who the agent is, and the hub tells the agent of which cluster that makes it.
import type { LinkIdentityKeeper, MeshIdentity } from "./link-identity.ts";

export interface MeshKeeper extends LinkIdentityKeeper {
  ensure(): Promise<MeshIdentity>;
  readonly current: MeshIdentity;
  /** The hub said so. */
  learn(cluster: string): void;
}

export function createMeshKeeper({ roles }: { readonly roles: readonly string[] }): MeshKeeper {
  let current: MeshIdentity = { vouchedBy: "mesh", cluster: "", roles };
  return {
    ensure: async () => current,
    get current() {
      return current;
    },
    shortfall: undefined,
    // The hub and the mesh decide whom the hub lets in: nothing that could be done here changes it.
    reject: () => undefined,
    hasNewToken: async () => false,
    learn(cluster) {
      if (cluster !== current.cluster) current = { ...current, cluster };
    },
  };
}
