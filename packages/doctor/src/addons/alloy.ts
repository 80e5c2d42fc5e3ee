import type { Addon } from "../catalogue/index.ts";
import { optionalEverywhere } from "./need.ts";

/** Collectors of Loki's makers. One's configuration is a Secret, the other's a language of its own: neither is judged. */
export const alloy: Addon = {
  id: "alloy",
  title: "Grafana Alloy or Promtail",
  need: optionalEverywhere,
  signals: {
    resources: [],
    components: [{ name: "agent", isEssential: true, images: ["grafana/alloy", "grafana/promtail"] }],
  },
  checks: [],
  unlocks: ["logs"],
  alternatives: ["vector", "fluent-bit", "opentelemetry-collector"],
};
