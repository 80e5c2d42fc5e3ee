/** The things that people do with a cluster, and that the checks of addons unlock. */
export const featureIds = [
  "deploy",
  "metrics",
  "alerts",
  "autoscaling-by-cpu",
  "autoscaling-by-requests",
  "autoscaling-by-events",
  "scale-to-zero",
  "canary",
  "jobs",
  "spark-jobs",
  "workflows",
  "notebooks",
  "notebook-sign-in",
  "endpoint-authentication",
  "intercepts",
  "ingress",
  "tls",
  "logs",
  "gpu",
  "neuron",
  "gpu-metrics",
  "volumes-rwo",
  "volumes-rwx",
  "node-provisioning",
  "node-repair",
  "external-secrets",
  "dashboards",
] as const;
export type FeatureId = (typeof featureIds)[number];

export interface FeatureReport {
  readonly feature: FeatureId;
  readonly state: FeatureState;
  /** The addons and checks that decide it; empty when it is available. */
  readonly because: readonly FeatureReason[];
}

/** Degraded: it works, and not as it should. Unknown: something that decides it could not be read. */
export type FeatureState = "available" | "degraded" | "blocked" | "unknown";

export interface FeatureReason {
  readonly addon?: string;
  readonly check?: string;
  readonly message: string;
}
