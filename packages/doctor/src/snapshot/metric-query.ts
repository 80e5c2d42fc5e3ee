// A question to a Prometheus in the cluster. A check names it, and the reader of the cluster asks it, where that is
// wanted.

/** A Service that was seen in the cluster. Nothing else is ever asked. */
export interface ServiceAddress {
  readonly scheme: "http" | "https";
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface MetricQuery {
  readonly address: ServiceAddress;
  /** PromQL. */
  readonly query: string;
}

export type MetricAnswer =
  | { readonly is: "answered"; readonly series: readonly MetricSeries[] }
  /** Something answered, and not as Prometheus does when it is well. */
  | { readonly is: "refused"; readonly why: string }
  /** The reader got no answer, or was turned away. That says nothing about Prometheus. */
  | { readonly is: "hidden"; readonly why: string };

export interface MetricSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The same for the same question. */
export function keyOfQuery({ address, query }: MetricQuery): string {
  return `${formatAddress(address)}?${query}`;
}

/** As it is reached from within the cluster. */
export function formatAddress({ scheme, namespace, name, port }: ServiceAddress): string {
  return `${scheme}://${name}.${namespace}.svc:${port}`;
}
