/** The Deployment of an agent, as it was before it was stopped. */
export interface NotedAgent {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
}

export interface Manifest {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}
