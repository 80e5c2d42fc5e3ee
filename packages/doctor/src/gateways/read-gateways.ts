import { oncePerSnapshot, type Snapshot } from "../snapshot/index.ts";
import { Backends } from "./backends.ts";
import type { Gateway } from "./gateway.ts";
import { gatewayApiGateways, readGatewayApiGateways } from "./gateway-api-gateways.ts";
import { ingresses, readIngressGateways } from "./ingress-gateways.ts";
import { istioGateways, readIstioGateways } from "./istio-gateways.ts";

/** All gateways that were seen, ordered by id; others may exist where something is hidden. */
export const readGateways: (snapshot: Snapshot) => readonly Gateway[] = oncePerSnapshot((snapshot) => {
  const backends = new Backends(snapshot);
  return [
    ...readIstioGateways(snapshot, backends),
    ...readGatewayApiGateways(snapshot, backends),
    ...readIngressGateways(snapshot),
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
});

/**
 * All gateways of the cluster.
 * @throws {FairleadError} `DOCTOR_HIDDEN` when some may be missing.
 */
export function readAllGateways(snapshot: Snapshot): readonly Gateway[] {
  for (const resource of [istioGateways, gatewayApiGateways, ingresses]) snapshot.list(resource);
  return readGateways(snapshot);
}
