// The settings of the hub about Argo CD.
import { address, argoActions, clusterList, label, list, nonEmpty, redisUrl, target, toggle, words } from "./kinds.ts";
import { row, type Setting } from "./setting.ts";

export const argoSettings: readonly Setting[] = [
  // Argo CD there may have a namespace for each cluster, with its name.
  row(
    "hubNamespace",
    "NAME",
    "namespace that the hub runs in: no cluster gets its name",
    label().optional(),
    undefined,
  ),
  // Without it applications are in the hub's database.
  row(
    "argoKubeconfig",
    "FILE",
    "kubeconfig of the cluster that has the hub's Argo CD; in-cluster: the hub's own",
    nonEmpty().optional(),
    undefined,
  ),
  row("argoNamespace", "NAME", "where the hub's Argo CD keeps projects, repositories and keys", label(), "argocd"),
  // People who may make applications there decide what clusters deploy.
  row(
    "argoApplicationNamespaces",
    "LIST",
    "other namespaces of it whose applications go where their destination says: names and patterns",
    words().optional(),
    undefined,
  ),
  // Their passwords would be in all managed clusters.
  row(
    "argoShareGlobalRepositories",
    undefined,
    "let managed clusters have repositories that belong to no project",
    toggle(),
    false,
  ),
  // Argo CD there gets an account that reaches clusters through the hub.
  row(
    "argoClusterSecrets",
    undefined,
    "let the hub's Argo CD know clusters that exchange applications, by Secrets that the hub makes",
    toggle(),
    false,
  ),
  // An autonomous cluster writes its projects' roles itself, so who belongs to one is for the hub to say.
  row(
    "argoMirrorActions",
    "LIST",
    "what roles of autonomous clusters' projects may allow: get, sync, action/*, logs, exec",
    argoActions(),
    ["get", "sync"],
  ),
  row("argoMirrorGroups", "LIST", "groups that such roles may name", list(), []),
  row(
    "argoMirrorLabels",
    "LIST",
    "labels and annotations that autonomous clusters' objects keep: names, PREFIX/*, or * for all without a prefix",
    list(),
    ["*"],
  ),
  // For the argocd-server beside the hub, which takes it for its Redis. Never without a password but on loopback.
  row(
    "argoRedisListen",
    "HOST:PORT",
    "where Argo CD beside the hub reads resource trees of clusters",
    address().optional(),
    undefined,
  ),
  row(
    "argoRedisPasswordFile",
    "FILE",
    "file with the password that it must show there",
    nonEmpty().optional(),
    undefined,
  ),
  row("argoRedisTlsCertFile", "FILE", "certificate (PEM) of that listener", nonEmpty().optional(), undefined),
  row("argoRedisTlsKeyFile", "FILE", "its private key (PEM)", nonEmpty().optional(), undefined),
  // All that isn't a cluster's goes there.
  row(
    "argoRedisUpstream",
    "URL",
    "the Redis of the hub's Argo CD: redis://HOST:PORT or rediss://HOST:PORT",
    redisUrl().optional(),
    undefined,
  ),
  row("argoRedisUpstreamUsername", "NAME", "who the hub is there", nonEmpty().optional(), undefined),
  row("argoRedisUpstreamPasswordFile", "FILE", "file with the password for it", nonEmpty().optional(), undefined),
  row("argoRedisUpstreamCaFile", "FILE", "certificates (PEM) to trust for it", nonEmpty().optional(), undefined),
  // Fixed targets, each for clusters that are named: whoever is in one of them reaches what is there.
  row("argoSharedRedis", "HOST:PORT", "a Redis that Argo CD in clusters may use", target().optional(), undefined),
  row(
    "argoSharedRepoServer",
    "HOST:PORT",
    "a repo-server that Argo CD in clusters may use",
    target().optional(),
    undefined,
  ),
  row("argoShareWith", "LIST", "names of the clusters that may use these; * is all", clusterList(), []),
  // A Redis doesn't tell its clients' keys apart, and Argo CD gives them the same names in every cluster.
  row(
    "argoShareOneRedis",
    undefined,
    "let clusters use one Redis, in which each reads and writes what the others keep",
    toggle(),
    false,
  ),
];
