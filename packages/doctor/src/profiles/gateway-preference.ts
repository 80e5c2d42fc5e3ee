/** Somebody's word on which of several gateways serves a host on a port. */
export interface GatewayPreference {
  /** As gateways write it: `*.apps.example.com`. */
  readonly host: string;
  readonly port: number;
  /** The gateway's id: `istio/istio-system/public`. */
  readonly gateway: string;
}
