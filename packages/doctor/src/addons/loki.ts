import type { Addon } from "../catalogue/index.ts";
import { type Check, judgeClaims, judgeEndpoint } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { claimsOf } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";

const endpointCheck: Check = {
  id: "loki.endpoint",
  title: "A Service leads to Loki",
  why: "Collectors send lines to it, and logs are asked of it, on port 3100 or through its gateway.",
  severity: "required",
  features: ["logs"],
  judge: ({ snapshot, installation }) =>
    judgeEndpoint({ snapshot, workloads: workloadsOf(installation, "server"), ports: [3100, 80] }),
};

const storageCheck: Check = {
  id: "loki.storage",
  title: "Volumes of Loki are bound",
  why: "Loki keeps what it hasn't yet written to its object storage, or everything, in volumes. Pods wait for one that isn't bound.",
  severity: "recommended",
  features: ["logs"],
  // With object storage, most of its parts need no volume.
  appliesTo: ({ installation }) => workloadsOf(installation, "server").some((each) => claimsOf(each).length > 0),
  judge: ({ snapshot, installation }) =>
    judgeClaims({
      snapshot,
      workloads: workloadsOf(installation, "server").filter((each) => claimsOf(each).length > 0),
    }),
};

/** Alternative to VictoriaLogs. People choose its storage, so that nothing here installs it. */
export const loki: Addon = {
  id: "loki",
  title: "Loki",
  need: optionalEverywhere,
  signals: { resources: [], components: [{ name: "server", isEssential: true, images: ["grafana/loki"] }] },
  checks: [endpointCheck, storageCheck],
  unlocks: ["logs"],
  alternatives: ["victoria-logs"],
};
