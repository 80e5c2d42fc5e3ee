export { gatewayChecks } from "./checks/index.ts";
export { recordedPreferences, servesAnnotation } from "./chosen-for.ts";
export { type Domain, type DomainsOptions, domainsOf } from "./domains.ts";
export { type Claim, type Duplicate, findDuplicates } from "./duplicates.ts";
export {
  type ClaimingGateway,
  type ClusterGateways,
  type DuplicateAcross,
  findDuplicatesAcross,
} from "./duplicates-across.ts";
export type { Backend, Gateway, Listener, ListenerTls } from "./gateway.ts";
export { type NewService, type NewServiceUrl, urlOfNewService } from "./new-service-url.ts";
export { readAllGateways, readGateways } from "./read-gateways.ts";
