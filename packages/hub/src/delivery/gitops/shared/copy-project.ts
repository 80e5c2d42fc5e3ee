// A project as one cluster has it: only what concerns that cluster, which is its own Argo CD's `in-cluster`. Pure.
import type { ProjectPart } from "@fairlead/protocol";
import { mapWindows } from "./map-windows.ts";
import { type ClusterTarget, isCluster, isDenial, isDestination, isServer, readDestinations } from "./match-project.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Roles stay on the hub: their tokens are for the hub's Argo CD. */
export function copyProject(part: ProjectPart, target: ClusterTarget): ProjectPart {
  const { roles: _roles, sourceNamespaces, destinations: _destinations, ...spec } = part.spec;
  const { destinationServiceAccounts: accounts, syncWindows: windows } = spec as Fields;
  return {
    ...part,
    spec: {
      ...spec,
      destinations: copyDestinations(part.spec, target),
      ...(target.mapping === "destination" && sourceNamespaces !== undefined && { sourceNamespaces }),
      ...(Array.isArray(accounts) && { destinationServiceAccounts: copyAccounts(accounts, target) }),
      ...(Array.isArray(windows) && { syncWindows: copyWindows(windows, target) }),
    },
  };
}

/** Argo CD takes no project in which a destination is there twice. */
function copyDestinations(spec: Fields, target: ClusterTarget): readonly Fields[] {
  const copies = readDestinations(spec).flatMap((destination): Fields[] => {
    const { namespace } = destination;
    if (isDestination(destination, target)) return [{ ...ownCluster, namespace }];
    // For Argo CD a namespace that is forbidden once is forbidden for all destinations.
    return isDenial(namespace) ? [{ namespace }] : [];
  });
  return withoutRepeats(copies);
}

/** Keeps the accounts that Argo CD deploys as in this cluster. */
function copyAccounts(accounts: readonly (Fields | null)[], target: ClusterTarget): readonly Fields[] {
  const own = accounts.filter((account) => {
    const server = account?.["server"];
    return typeof server === "string" && isServer(server, target);
  });
  return withoutRepeats(own.map((account) => ({ ...account, server: ownCluster.server })));
}

/** The cluster's applications have either name of their own cluster. */
function copyWindows(windows: readonly unknown[], target: ClusterTarget): readonly unknown[] {
  const otherNames = [ownCluster.name, ownCluster.server];
  return mapWindows(windows, { isNamed: (pattern) => isCluster(pattern, target), otherNames });
}

function withoutRepeats(copies: readonly Fields[]): readonly Fields[] {
  return [...new Map(copies.map((copy) => [JSON.stringify(copy), copy])).values()];
}

/** What Argo CD calls the cluster that it is in. */
export const ownCluster = { name: "in-cluster", server: "https://kubernetes.default.svc" };
