/** Whether the truth about a cluster's applications is on the hub (managed) or in the cluster (autonomous). */
export type GitopsMode = (typeof gitopsModes)[number];
export const gitopsModes = ["managed", "autonomous"] as const;

/** How objects of the hub belong to clusters: by a namespace for each, or by `spec.destination.name`. */
export type GitopsMapping = (typeof gitopsMappings)[number];
export const gitopsMappings = ["namespace", "destination"] as const;

/** The replicated kinds of objects. */
export type GitopsKind = (typeof gitopsKinds)[number];
export const gitopsKinds = [
  "applications",
  "projects",
  /** Secrets with the label `argocd.argoproj.io/secret-type` of `repository` or `repo-creds`. */
  "repositories",
  /** The ConfigMap `argocd-gpg-keys-cm`. */
  "gpg-keys",
  /** The ConfigMap `argocd-ssh-known-hosts-cm`. */
  "known-hosts",
  /** The ConfigMap `argocd-tls-certs-cm`. */
  "tls-certs",
] as const;

/**
 * Carries a part of a kind one way. An application's spec and status are apart, so that neither waits for the other.
 */
export interface Flow {
  readonly name: string;
  readonly kind: GitopsKind;
  /** `content`: the spec with its metadata, or the data of a Secret or ConfigMap. */
  readonly part: "content" | "status";
  readonly source: "hub" | "cluster";
}

/** The value of `ReplicaMessage.flow` for operations. They go from the hub to the cluster in both modes. */
export const operationsFlow = "operations";

export function flowsOf(mode: GitopsMode): readonly Flow[] {
  return mode === "managed" ? managedFlows : autonomousFlows;
}

/** The most bytes of an entry. etcd takes 1.5 MiB for an object; Kubernetes 1 MiB for a Secret or ConfigMap. */
export function maxContentBytes(kind: GitopsKind): number {
  return kind === "applications" || kind === "projects" ? 1_536 * 1_024 : 1_024 * 1_024;
}

const managedFlows: readonly Flow[] = [
  ...gitopsKinds.map((kind): Flow => ({ name: kind, kind, part: "content", source: "hub" })),
  { name: "applications.status", kind: "applications", part: "status", source: "cluster" },
];
const autonomousFlows: readonly Flow[] = [
  { name: "applications", kind: "applications", part: "content", source: "cluster" },
  { name: "projects", kind: "projects", part: "content", source: "cluster" },
  { name: "applications.status", kind: "applications", part: "status", source: "cluster" },
];
