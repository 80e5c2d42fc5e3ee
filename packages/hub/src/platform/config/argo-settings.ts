// The settings of the hub about Argo CD.
import { address, boolean, choices, file, group, list, type SettingTable, text } from "@fairlead/kernel/settings";
import { type ArgoAction, argoActionNames, clusterList, label, redisUrl, target } from "./kinds.ts";

export interface ArgoConfig {
  readonly hubNamespace: string | undefined;
  readonly argoKubeconfig: string | undefined;
  readonly argoNamespace: string;
  readonly argoApplicationNamespaces: readonly string[] | undefined;
  readonly argoShareGlobalRepositories: boolean;
  readonly argoClusterSecrets: boolean;
  readonly argoMirrorActions: readonly ArgoAction[];
  readonly argoMirrorGroups: readonly string[];
  readonly argoMirrorLabels: readonly string[];
  readonly argoRedisListen: string | undefined;
  readonly argoRedisPasswordFile: string | undefined;
  readonly argoRedisTlsCertFile: string | undefined;
  readonly argoRedisTlsKeyFile: string | undefined;
  readonly argoRedisUpstream: string | undefined;
  readonly argoRedisUpstreamUsername: string | undefined;
  readonly argoRedisUpstreamPasswordFile: string | undefined;
  readonly argoRedisUpstreamCaFile: string | undefined;
  readonly argoSharedRedis: string | undefined;
  readonly argoSharedRepoServer: string | undefined;
  readonly argoShareWith: readonly string[];
  readonly argoShareOneRedis: boolean;
}

export const argoSettings: SettingTable<ArgoConfig> = group<ArgoConfig>("Argo CD", {
  // Argo CD there may have a namespace for each cluster, with its name.
  hubNamespace: {
    kind: label(),
    help: "Namespace that the hub runs in, so that no cluster gets its name",
    details: "The chart sets it.",
  },
  argoKubeconfig: {
    kind: file({ words: ["in-cluster"] }),
    help: "Kubeconfig of the cluster with the hub's Argo CD; in-cluster for the cluster that the hub runs in",
    details: "Without it applications are kept in the hub's database ([argocd-hub.md](argocd-hub.md)).",
  },
  argoNamespace: {
    kind: label(),
    fallback: "argocd",
    help: "Namespace of the hub's Argo CD",
    details:
      "Its projects, repositories and keys go to managed clusters ([argocd-hub.md](argocd-hub.md#projects-repositories-and-keys)).",
  },
  // People who may make applications there decide what clusters deploy.
  argoApplicationNamespaces: {
    kind: list({ expected: "a list of namespaces and patterns" }),
    help: "Other namespaces whose applications go to the cluster of their destination",
    details:
      "Names, patterns, and regular expressions between slashes ([argocd-hub.md](argocd-hub.md#by-destination)).",
  },
  // Their passwords would be in all managed clusters.
  argoShareGlobalRepositories: {
    kind: boolean(),
    fallback: false,
    help: "Send repositories that belong to no project to managed clusters, too",
  },
  // Argo CD there gets an account that reaches clusters through the hub.
  argoClusterSecrets: {
    kind: boolean(),
    fallback: false,
    help: "Register clusters that exchange applications with the hub's Argo CD, through Secrets that the hub creates",
    details: "See [argocd-hub.md](argocd-hub.md#clusters-in-argo-cd). Requires `--argo-kubeconfig` and `--public-url`.",
  },
  // An autonomous cluster writes its projects' roles itself, so who belongs to one is for the hub to say.
  argoMirrorActions: {
    kind: choices(argoActionNames, { mayBeEmpty: true }),
    fallback: ["get", "sync"],
    help: "Actions that roles of autonomous clusters' projects can allow on the hub",
    details: "See [argocd-hub.md](argocd-hub.md#rights-of-mirrors). An empty list allows nothing.",
  },
  argoMirrorGroups: {
    kind: list({ expected: "a list of at most 100 groups", maxWords: 100, mayBeEmpty: true }),
    fallback: [],
    help: "Groups that those roles can name",
    details: "The hub leaves out all others. Names with blanks or commas belong in the file.",
  },
  argoMirrorLabels: {
    kind: list({ expected: "a list of at most 100 labels, PREFIX/* or *", maxWords: 100, mayBeEmpty: true }),
    fallback: ["*"],
    help: "Labels and annotations that objects of autonomous clusters keep on the hub: names, PREFIX/*, or * for all names without a prefix",
  },
  // For the argocd-server beside the hub, which takes it for its Redis.
  argoRedisListen: {
    kind: address({ toListen: true, example: "127.0.0.1:6379" }),
    help: "Address at which argocd-server beside the hub reads resource trees of clusters",
    details:
      "It reads [resource trees](argocd-hub.md#resource-trees) and the [state of clusters](argocd-hub.md#the-list-of-clusters) there.",
  },
  argoRedisPasswordFile: {
    kind: file(),
    help: "File with the password for that address",
    details:
      "It must have at least 8 characters, and the hub reads it again when it changes. Required unless the address is on loopback.",
  },
  argoRedisTlsCertFile: {
    kind: file(),
    help: "Certificate (PEM) for that address",
    details: "The hub reads it again when it changes. Without it there is no TLS.",
  },
  argoRedisTlsKeyFile: { kind: file(), help: "Private key (PEM) of that certificate" },
  // All that isn't a cluster's goes there.
  argoRedisUpstream: {
    kind: redisUrl(),
    help: "URL of the Redis of the hub's Argo CD, for example redis://argocd-redis:6379",
    details: "`rediss://` connects with TLS.",
  },
  argoRedisUpstreamUsername: {
    kind: text({ placeholder: "NAME" }),
    defaultText: "that Redis' default user",
    help: "User name for that Redis",
  },
  argoRedisUpstreamPasswordFile: {
    kind: file(),
    help: "File with the password for that Redis",
    details: "The hub reads it again for each connection.",
  },
  argoRedisUpstreamCaFile: {
    kind: file(),
    defaultText: "the system's",
    help: "Certificates (PEM) to trust for that Redis",
  },
  // Fixed targets, each for clusters that are named: whoever is in one of them reaches what is there.
  argoSharedRedis: {
    kind: target(),
    help: "Redis that Argo CD in clusters can use through the hub",
    details:
      "See [argocd-hub.md](argocd-hub.md#a-redis-and-a-repo-server-of-the-hub). `{cluster}` in it stands for the cluster's name.",
  },
  argoSharedRepoServer: { kind: target(), help: "Repo-server that Argo CD in clusters can use through the hub" },
  argoShareWith: {
    kind: clusterList(),
    fallback: [],
    help: "Clusters that can use the shared Redis and repo-server; * for all",
    details: "Required with either of the two.",
  },
  // A Redis doesn't tell its clients' keys apart, and Argo CD gives them the same names in every cluster.
  argoShareOneRedis: {
    kind: boolean(),
    fallback: false,
    help: "Allow several clusters, or a cluster and the hub's Argo CD, to share one Redis, where each can read and write the others' data",
    details: "Without it the hub accepts an address without `{cluster}` for one cluster only.",
  },
});
