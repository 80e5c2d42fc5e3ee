// What has to be done so that Argo CD on the hub knows the clusters that exchange applications, and no others of ours. Pure.
import type { KubeObject } from "@fairlead/kube";
import { type ClusterSecret, type SeenSecret, toSecretName } from "./cluster-secret.ts";

export type SecretStep =
  | { readonly is: "make"; readonly cluster: string }
  /** With the token that it has while that is fresh, and with a new one otherwise. */
  | { readonly is: "renew"; readonly cluster: string; readonly object: KubeObject; readonly keptToken?: string }
  | { readonly is: "keep"; readonly cluster: string; readonly token: string }
  | { readonly is: "remove"; readonly object: KubeObject }
  /** Somebody else's is in the way, and stays as it is. */
  | { readonly is: "taken"; readonly cluster: string; readonly by: string };

export function decideSecrets(options: {
  readonly clusters: readonly string[];
  readonly seen: readonly SeenSecret[];
  /** As it is to be. */
  readonly place: (cluster: string) => Pick<ClusterSecret, "server" | "caPem">;
  /** True for a token that Argo CD can go by for a good while yet. */
  readonly isFresh: (token: string, cluster: string) => boolean;
}): SecretStep[] {
  const { clusters, seen, place, isFresh } = options;
  const own = new Map(seen.flatMap((one) => (one.is === "own" ? [[one.cluster, one] as const] : [])));
  const foreign = seen.flatMap((one) => (one.is === "foreign" ? [one] : []));
  const wanted = new Set(clusters);
  const gone = [...own.values()].filter(({ cluster }) => !wanted.has(cluster));
  return [
    ...gone.map(({ object }): SecretStep => ({ is: "remove", object })),
    ...clusters.map((cluster): SecretStep => {
      const { server, caPem } = place(cluster);
      const other = foreign.find(
        (one) => one.secretName === toSecretName(cluster) || one.name === cluster || one.server === server,
      );
      const found = own.get(cluster);
      if (found === undefined) return other ? { is: "taken", cluster, by: other.secretName } : { is: "make", cluster };
      const { object, content } = found;
      const { token } = content;
      const isTokenFresh = isFresh(token, cluster);
      if (isTokenFresh && content.server === server && content.caPem === caPem) return { is: "keep", cluster, token };
      return { is: "renew", cluster, object, ...(isTokenFresh ? { keptToken: token } : {}) };
    }),
  ];
}
