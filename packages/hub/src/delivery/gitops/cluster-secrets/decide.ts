// Decides the steps after which Argo CD on the hub knows the clusters that exchange applications, and no others of
// ours. Pure.
import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "@fairlead/kube";
import { type ClusterSecret, type SeenSecret, toSecretName } from "./cluster-secret.ts";

export type SecretStep =
  | { readonly is: "make"; readonly cluster: string; readonly place: SecretPlace }
  /** With the token that it has while that is fresh, and with a new one otherwise. */
  | {
      readonly is: "renew";
      readonly cluster: string;
      readonly place: SecretPlace;
      readonly object: KubeObject;
      readonly keptToken?: string;
    }
  | { readonly is: "keep"; readonly cluster: string; readonly token: string }
  | { readonly is: "remove"; readonly object: KubeObject }
  /** Somebody else's is in the way, and stays as it is. */
  | { readonly is: "taken"; readonly cluster: string; readonly by: string };

/** All of a Secret but the cluster's name and the token. */
export type SecretPlace = Pick<ClusterSecret, "server" | "caPem" | "labels">;

export function decideSecrets(options: {
  /** As they are to be, by their clusters. */
  readonly places: ReadonlyMap<string, SecretPlace>;
  readonly seen: readonly SeenSecret[];
  /** True for a token that Argo CD can go by for a good while yet. */
  readonly isFresh: (token: string, cluster: string) => boolean;
}): SecretStep[] {
  const { places, seen, isFresh } = options;
  const own = new Map(seen.flatMap((one) => (one.is === "own" ? [[one.cluster, one] as const] : [])));
  const foreign = seen.flatMap((one) => (one.is === "foreign" ? [one] : []));
  const gone = [...own.values()].filter(({ cluster }) => !places.has(cluster));
  return [
    ...gone.map(({ object }): SecretStep => ({ is: "remove", object })),
    ...[...places].map(([cluster, place]): SecretStep => {
      const { server } = place;
      const other = foreign.find(
        (one) => one.secretName === toSecretName(cluster) || one.name === cluster || one.server === server,
      );
      const found = own.get(cluster);
      if (found === undefined)
        return other ? { is: "taken", cluster, by: other.secretName } : { is: "make", cluster, place };
      const { object, content } = found;
      const { token } = content;
      const isTokenFresh = isFresh(token, cluster);
      if (isTokenFresh && isIn(content, place)) return { is: "keep", cluster, token };
      return { is: "renew", cluster, place, object, ...(isTokenFresh ? { keptToken: token } : {}) };
    }),
  ];
}

function isIn({ server, caPem, labels }: ClusterSecret, wanted: SecretPlace): boolean {
  return server === wanted.server && caPem === wanted.caPem && isDeepStrictEqual(labels, wanted.labels);
}
