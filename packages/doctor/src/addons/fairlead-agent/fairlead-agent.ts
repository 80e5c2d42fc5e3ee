import type { Addon } from "../../catalogue/index.ts";
import { optionalEverywhere } from "../need.ts";
import { oneHub } from "./one-hub.ts";
import { oneVersion } from "./one-version.ts";
import { rolesReady } from "./roles-ready.ts";
import { twoReplicas } from "./two-replicas.ts";

/** No role is essential: people choose which of them a cluster has. */
export const fairleadAgent: Addon = {
  id: "fairlead-agent",
  title: "Fairlead agent",
  need: optionalEverywhere,
  signals: {
    resources: [],
    // By labels, since people may mirror the image under another name.
    components: ["observe", "proxy", "execute", "gitops"].map((role) => ({
      name: role,
      isEssential: false,
      labels: { "app.kubernetes.io/part-of": ["fairlead"], "app.kubernetes.io/component": [role] },
      versionContainer: "agent",
    })),
  },
  checks: [oneHub, oneVersion, rolesReady, twoReplicas],
  unlocks: [],
};
