import type { Addon } from "../../catalogue/index.ts";
import { optionalEverywhere } from "../need.ts";
import { sinkCheck, streamFieldsCheck, timeFieldCheck } from "./sink-checks.ts";
import { globCooldownCheck, podLabelsCheck, remapOfPods } from "./source-checks.ts";
import { tolerationsCheck } from "./toleration-check.ts";

export const vector: Addon = {
  id: "vector",
  title: "Vector",
  need: optionalEverywhere,
  signals: {
    resources: [],
    components: [{ name: "agent", isEssential: true, images: ["timberio/vector"] }],
  },
  checks: [globCooldownCheck, podLabelsCheck, sinkCheck, streamFieldsCheck, timeFieldCheck, tolerationsCheck],
  unlocks: ["logs"],
  alternatives: ["fluent-bit", "opentelemetry-collector"],
  install: {
    chart: "vector",
    repository: "https://helm.vector.dev",
    version: "0.57.0",
    versionRange: ">=0.40.0 <1.0.0",
    namespace: "tfy-logs",
    release: "vector",
    order: 1,
    after: ["victoria-logs"],
    values: ({ profile }) => ({
      role: "Agent",
      tolerations: [{ operator: "Exists" }],
      customConfig: {
        data_dir: "/vector-data-dir",
        sources: { k8s: { type: "kubernetes_logs", glob_minimum_cooldown_ms: 1000 } },
        transforms: { parser: { type: "remap", inputs: ["k8s"], source: remapOfPods } },
        sinks: {
          vlogs: {
            type: "elasticsearch",
            inputs: ["parser"],
            endpoints: ["http://victoria-logs-victoria-logs-single-server.tfy-logs.svc:9428/insert/elasticsearch/"],
            api_version: "v8",
            healthcheck: { enabled: false },
            query: {
              _msg_field: "message",
              _time_field: "timestamp",
              _stream_fields: profile.logs.streamFields.join(","),
            },
          },
        },
      },
    }),
  },
};
