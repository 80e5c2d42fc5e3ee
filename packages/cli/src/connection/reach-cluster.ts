import type { ClusterAccess } from "@fairlead/kube";
import type { HubContextRef, NamedHubContext } from "../config/index.ts";
import { useSession } from "../session/index.ts";
import type { Terminal } from "../terminal.ts";

/** A cluster's API through the hub, in the name of who is signed in: with the rights that the hub gives there. */
export function reachCluster(
  { cluster, hubContext }: { readonly cluster: string; readonly hubContext: NamedHubContext },
  { environment, now, signal, trace }: Terminal,
  file: string,
): ClusterAccess {
  const ref: HubContextRef = { file, name: hubContext.name, hub: hubContext.hub };
  return {
    server: new URL(`/k8s/clusters/${encodeURIComponent(cluster)}`, hubContext.hub),
    ca: hubContext.ca,
    insecureSkipTlsVerify: false,
    namespace: "default",
    authorization: async () => {
      if (environment.token !== undefined) return `Bearer ${environment.token}`;
      const { session } = await useSession({ ref, now, proxy: environment.proxy, signal, trace });
      return `Bearer ${session.accessToken}`;
    },
  };
}
