import type { ClusterInventory } from "@fairlead/contract";
import type { Principal } from "../../people/access/index.ts";
import { toDataAge } from "./ages.ts";
import { maySeeCapacity, toCapacity } from "./capacity.ts";
import { kindsOf } from "./kinds.ts";
import { mayList } from "./scope.ts";
import { apiVersionOf } from "./show.ts";
import type { ObjectAccess, ObjectInventory } from "./types.ts";

/** How the copy of a cluster is doing; how many there are of something is for those who may list all of it. */
export async function describeInventory(options: {
  readonly inventory: ObjectInventory;
  readonly access: Pick<ObjectAccess, "authorize">;
  readonly cluster: string;
  readonly principal: Principal;
}): Promise<ClusterInventory> {
  const { inventory, access, cluster, principal } = options;
  const known = kindsOf(inventory, cluster);
  const isOpen = maySeeCapacity({ name: cluster, kinds: known }, { access, principal });
  const facts = isOpen ? (await inventory.facts([cluster])).get(cluster) : undefined;
  const freshness = inventory.freshness(cluster);
  const { kubeSystemUid, replacementUid } = freshness;
  return {
    age: toDataAge(freshness),
    ...(kubeSystemUid !== undefined && { kubeSystemUid }),
    ...(replacementUid !== undefined && { replacementUid }),
    lagMs: freshness.lagMs,
    pendingChanges: freshness.pendingChanges,
    ...(facts && { capacity: toCapacity(facts) }),
    kinds: freshness.kinds.flatMap(({ objects, ...described }) => {
      const kind = known.get(described.kind);
      if (!kind) return [];
      const { kindName, namespaced } = kind;
      const isCounted = mayList({ access, principal, cluster, kind, namespace: "" });
      return [{ ...described, apiVersion: apiVersionOf(kind), kindName, namespaced, ...(isCounted && { objects }) }];
    }),
  };
}
