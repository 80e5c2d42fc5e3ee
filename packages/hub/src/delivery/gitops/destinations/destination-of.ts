// Which cluster an application on the hub names as its destination. Pure.
import type { GitopsObject } from "@fairlead/protocol";

/** Undefined: it stays the hub's own. A name says it alone; the server counts where there is none. */
export function destinationOf(application: GitopsObject): string | undefined {
  const { name = "", server = "" } = readDestination(application["spec"]);
  const cluster = name === "" ? (address.exec(server)?.[1] ?? "") : name;
  return cluster === "" || cluster === ownCluster ? undefined : cluster;
}

function readDestination(spec: unknown): { readonly name?: string; readonly server?: string } {
  const { destination } = (spec ?? {}) as { readonly destination?: Readonly<Record<string, unknown>> | null };
  const { name, server } = destination ?? {};
  return { ...(typeof name === "string" && { name }), ...(typeof server === "string" && { server }) };
}

/** As the hub offers clusters' APIs. Argo CD may reach the hub by an address of its own. */
const address = /^https?:\/\/[^/?#]+\/k8s\/clusters\/([a-z0-9-]+)\/?$/;
/** Argo CD's name for the cluster that it is in, whatever clusters of the hub are called. */
const ownCluster = "in-cluster";
