import type { Addon } from "../catalogue/index.ts";
import { type Check, judgeClaims, judgeEndpoint } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { optionalEverywhere } from "./need.ts";
import { fixByChart, judgeVictoriaRetention } from "./victoria-retention.ts";

const chart = "victoria-logs-single";

const endpointCheck: Check = {
  id: "victoria-logs.endpoint",
  title: "A Service leads to VictoriaLogs",
  why: "Collectors send lines to it, and logs are asked of it, on port 9428.",
  severity: "required",
  features: ["logs"],
  judge: ({ snapshot, installation }) =>
    judgeEndpoint({
      snapshot,
      // In a cluster of servers those that only store are asked by others alone, on the same port.
      workloads: workloadsOf(installation, "server"),
      ports: [9428, 9471, 9481],
    }),
};

const retentionCheck: Check = {
  id: "victoria-logs.retention",
  title: "Logs are kept as long as the profile asks",
  why: "VictoriaLogs keeps 7 days unless `-retentionPeriod` says otherwise. A number without a unit means months.",
  severity: "recommended",
  features: ["logs"],
  judge(input) {
    const wantedDays = input.profile.logs.retentionDays;
    return judgeVictoriaRetention({
      workloads: workloadsOf(input.installation, "server"),
      wantedDays,
      usual: "7d",
      fix: fixByChart(input, chart, { server: { retentionPeriod: `${wantedDays}d` } }),
    });
  },
};

const storageCheck: Check = {
  id: "victoria-logs.storage",
  title: "Logs lie in a persistent volume that is bound",
  why: "Without a volume, logs are gone with the pod; with one that isn't bound, VictoriaLogs doesn't start.",
  severity: "recommended",
  features: ["logs"],
  judge: (input) =>
    judgeClaims({
      snapshot: input.snapshot,
      workloads: workloadsOf(input.installation, "server"),
      fix: fixByChart(input, chart, { server: { persistentVolume: { enabled: true, size: "50Gi" } } }),
    }),
};

export const victoriaLogs: Addon = {
  id: "victoria-logs",
  title: "VictoriaLogs",
  need: optionalEverywhere,
  signals: {
    resources: [],
    components: [{ name: "server", isEssential: true, images: ["victoriametrics/victoria-logs"] }],
  },
  checks: [endpointCheck, retentionCheck, storageCheck],
  unlocks: ["logs"],
  alternatives: ["loki"],
  install: {
    chart,
    repository: "https://victoriametrics.github.io/helm-charts",
    version: "0.11.30",
    versionRange: ">=0.11.0 <1.0.0",
    namespace: "tfy-logs",
    release: "victoria-logs",
    order: 0,
    after: [],
    values: ({ profile }) => ({
      server: {
        retentionPeriod: `${profile.logs.retentionDays}d`,
        persistentVolume: { enabled: true, size: "50Gi" },
      },
      vector: { enabled: false },
    }),
  },
};
