// A common shape for objects that bring requests into a cluster: Istio's Gateways, those of the Gateway API, Ingresses.
import type { ObjectRef } from "../snapshot/index.ts";

export interface Gateway {
  /** How preferences and reports name it: `istio/istio-system/public`. */
  readonly id: string;
  readonly kind: "istio" | "gateway-api" | "ingress";
  readonly object: ObjectRef;
  /** `HOST:PORT` of what people chose it for, where others claim the same: by its annotation `fairlead.dev/serves`. */
  readonly chosenFor: readonly string[];
  /** Its GatewayClass or IngressClass. */
  readonly className?: string;
  /** In the order of its object. */
  readonly listeners: readonly Listener[];
  readonly backend: Backend;
  /** It is in no cluster yet. */
  readonly isPlanned?: true;
  /** Only the Gateway API says so. */
  readonly programmed?: { readonly isTrue: boolean; readonly message: string };
}

export interface Listener {
  /** In lower case; `*` stands for any host. */
  readonly host: string;
  readonly port: number;
  /** `HTTP`, `HTTPS`, `TLS`, `TCP` and so on, as the object says. */
  readonly protocol: string;
  readonly tls?: ListenerTls;
  /** An Ingress takes only these paths of the host. */
  readonly urlPaths?: readonly string[];
  /** Where the object says so: `spec.servers[0]`. */
  readonly field: string;
}

export type ListenerTls =
  | { readonly is: "secret"; readonly name: string }
  /** The bytes go on to the workload, which has its own certificate. */
  | { readonly is: "passthrough" }
  /** Certificates of the cloud's load balancer, or files in the gateway's pods. */
  | { readonly is: "elsewhere"; readonly where: string }
  /** It speaks TLS and names no certificate. */
  | { readonly is: "unnamed" };

/** The pods and Services behind a gateway. */
export interface Backend {
  /** Undefined where the gateway's object doesn't say which pods. */
  readonly selector?: Readonly<Record<string, string>>;
  readonly pods: readonly ObjectRef[];
  /** Some pod of it is there, or some workload says that it has one. */
  readonly hasPods: boolean;
  readonly services: readonly ObjectRef[];
  /** Where clients reach it, sorted. */
  readonly addresses: readonly string[];
  /** A Service of type LoadBalancer has no address yet. */
  readonly isWaitingForAddress: boolean;
}

export const noBackend: Backend = {
  pods: [],
  hasPods: false,
  services: [],
  addresses: [],
  isWaitingForAddress: false,
};
