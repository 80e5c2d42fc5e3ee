/** Optional abilities that either side names in Hello and the other may count on. */
export const capabilities = {
  /** An agent's: it acts for the user that a stream names, and never with its own rights. */
  identity: "identity",
  /** A hub's: it keeps a copy of what is in clusters. */
  inventory: "inventory",
  /** An agent's: it renews its certificate when the hub asks for it. */
  renewSoon: "renew-soon",
  /** A hub's: it wants to be told when a renewed certificate is stored. */
  renewalConfirmations: "renewal-confirmations",
  /** A hub's: it has a queue of commands for agents with the role `execute`. */
  commands: "commands",
  /** A hub's: it syncs Argo CD's applications with agents that have the role `gitops`. */
  gitops: "gitops",
  /** An agent's: it reads resource trees from its Argo CD's Redis. */
  resourceTrees: "resource-trees",
  /** An agent's: it reads there as well what its Argo CD says of its cluster. */
  clusterInfo: "cluster-info",
  /** An agent's: it keeps Argo CD on the hub to what belongs to tracked resources. */
  trackedReach: "tracked-reach",
  /** An agent's: callers may have thousands of groups. */
  manyGroups: "many-groups",
  /** An agent's: heads may come in parts, and callers may have tens of thousands of groups. */
  largeHeads: "large-heads",
} as const;
