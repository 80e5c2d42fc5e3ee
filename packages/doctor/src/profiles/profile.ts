/** The demands on a fit cluster: labels, taints, project names, limits. Two are built in; people write their own. */
export interface Profile {
  readonly name: string;
  readonly argocd: {
    /** The AppProject that applications are made in. */
    readonly project: string;
    /** The namespaces that applications may live in; `*` stands for all. */
    readonly applicationNamespaces: readonly string[];
  };
  readonly kubeStateMetrics: {
    readonly podLabels: readonly string[];
    readonly nodeLabels: readonly string[];
  };
  readonly prometheus: {
    /** The labels of the monitors, rules and alert routes that come with workloads; selectors must admit them. */
    readonly monitorLabels: Readonly<Record<string, string>>;
    readonly retentionDays: number;
  };
  readonly logs: { readonly streamFields: readonly string[]; readonly retentionDays: number };
  readonly argoWorkflows: {
    readonly activeDeadlineSeconds: number;
    readonly secondsAfterCompletion: number;
    readonly parallelism: number;
    readonly namespaceParallelism: number;
  };
  readonly nodePools: {
    /** Pods that must stay up run here; absent when the profile asks for no such pool. */
    readonly critical?: PoolDemand;
    readonly default?: PoolDemand;
    readonly gpu?: PoolDemand;
  };
  readonly storage: { readonly wantsEncryption: boolean; readonly ebsType: string };
  /** Domains that a gateway must serve; empty when none is asked for. */
  readonly baseDomains: readonly string[];
}

export interface PoolDemand {
  readonly architectures: readonly string[];
  readonly capacityTypes: readonly string[];
  /** Any value is accepted where a taint names none. */
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect?: string }[];
  readonly labels: Readonly<Record<string, string>>;
}
