// The replication of Argo CD's objects between hub and agent: which parts, and which way.
export {
  type ApplicationRequests,
  type RefreshRequest,
  readRequests,
  type SpecPart,
  type StatusPart,
  toSpecPart,
  toStatusPart,
} from "./application.ts";
export { hashOf, parseContent, toContent } from "./content.ts";
export { Exchange, type ExchangeOptions } from "./exchange.ts";
export {
  type Flow,
  flowsOf,
  type GitopsKind,
  type GitopsMapping,
  type GitopsMode,
  gitopsKinds,
  gitopsMappings,
  gitopsModes,
  maxContentBytes,
  operationsFlow,
} from "./flows.ts";
export { ignoreLabel, isIgnored } from "./ignored.ts";
export { hydrateAnnotation, isCarriedFinalizer, mergeAnnotations, refreshAnnotation, staysBehind } from "./metadata.ts";
export {
  type Application,
  type ApplicationStatus,
  type CarriedMetadata,
  type GitopsMetadata,
  type GitopsObject,
  toGitopsObject,
} from "./objects.ts";
export {
  hashOfOperation,
  isMirrored,
  readOperationId,
  withMirrorMark,
  withOperationId,
  withoutMirrorMark,
} from "./operation-id.ts";
export { type DataPart, type ProjectPart, toDataPart, toProjectPart } from "./other-kinds.ts";
export { formatGitopsRefusal, type GitopsRefusal, gitopsRefusals, parseGitopsRefusal } from "./refusals.ts";
export { type GitopsResource, gitopsResources, selectionOf } from "./resources.ts";
export { readStamps, type Stamps, toStampAnnotations, withoutStamps } from "./stamps.ts";
export { type FlowMessage, fromWire, toWire } from "./wire.ts";
