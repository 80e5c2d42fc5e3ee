// What clients know before they ask, such as for their help: without zod, which takes a command long to load.

export const commandLimits: {
  readonly specBytes: number;
  readonly defaultDeadlineSeconds: number;
  readonly maxDeadlineSeconds: number;
  readonly defaultPriority: number;
  readonly maxPriority: number;
  readonly maxApprovals: number;
  readonly defaultApprovalSeconds: number;
  readonly maxApprovalSeconds: number;
  /** Characters. */
  readonly commentLength: number;
} = {
  specBytes: 3 * 1024 * 1024,
  defaultDeadlineSeconds: 86_400,
  maxDeadlineSeconds: 30 * 86_400,
  defaultPriority: 5,
  maxPriority: 9,
  maxApprovals: 10,
  defaultApprovalSeconds: 86_400,
  maxApprovalSeconds: 30 * 86_400,
  commentLength: 2_000,
};

export const stackLimits: {
  readonly resources: number;
  /** The most bytes of a declaration, as JSON. */
  readonly bytes: number;
  /** The most references to outputs, in all specs of a declaration together. */
  readonly references: number;
  /** The most steps of a run: declared resources, and those that are to go. */
  readonly steps: number;
} = { resources: 100, bytes: 4 * 1024 * 1024, references: 1_000, steps: 200 };

/** Bounds of a join token's life, in milliseconds. */
export const tokenTtlLimits: { readonly minMs: number; readonly defaultMs: number; readonly maxMs: number } = {
  minMs: 1_000,
  defaultMs: 3_600_000,
  maxMs: 7 * 24 * 3_600_000,
};

/** The parts that an agent process can play. */
export const roleNames = ["observe", "proxy", "execute", "gitops"] as const;

/** The kinds of Argo CD's objects that managed clusters share. */
export const argoObjectKinds = ["projects", "repositories", "gpg-keys", "known-hosts", "tls-certs"] as const;
