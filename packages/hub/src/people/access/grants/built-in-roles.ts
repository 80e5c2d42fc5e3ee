import type { AccessRole } from "@fairlead/contract";

/** The chart binds the groups to `view`, `edit` and `cluster-admin`; a cluster may bind them to less. */
export const builtInRoles: readonly AccessRole[] = [
  {
    name: "viewer",
    isBuiltIn: true,
    description: "Looks at clusters, at everything in them but secrets, and at what they were asked to do.",
    hubRules: [{ verbs: ["get", "list"], resources: ["clusters", "commands/*"] }],
    // `proxy` reaches into pods and kubelets, where a GET can do anything.
    clusterRules: [{ verbs: ["get", "list", "watch"], resources: ["*"], except: ["secrets", "secrets/*", "*/proxy"] }],
    groups: ["fairlead:viewers"],
  },
  {
    name: "operator",
    isBuiltIn: true,
    description:
      "Does everything in clusters in their own name, and looks at the hub's clusters, roles and metrics, and at other hubs.",
    hubRules: [{ verbs: ["get", "list"], resources: ["clusters", "commands/*", "roles", "metrics", "hubs"] }],
    clusterRules: [{ verbs: ["*"], resources: ["*"] }],
    groups: ["fairlead:operators"],
  },
  {
    name: "admin",
    isBuiltIn: true,
    description: "Does everything, on the hub and in clusters, also in another's name.",
    hubRules: [{ verbs: ["*"], resources: ["*"] }],
    clusterRules: [{ verbs: ["*"], resources: ["*"] }],
    groups: ["fairlead:admins"],
    mayImpersonate: { users: ["*"], groups: ["*"] },
  },
];

export const adminRole = "admin";
