export {
  type ClusterAccess,
  type Environment,
  type InClusterOptions,
  inClusterConfig,
  isInCluster,
  type KubeconfigOptions,
  loadKubeconfig,
} from "./access/index.ts";
export { createKubeClient, createKubePool, type KubeClient, type KubePool, type KubeRequest } from "./client/index.ts";
export { type ApiCatalogue, discoverApis, readVersion, type UnavailableApi } from "./discovery/index.ts";
export {
  isObjectMissing,
  type KubeStatus,
  kubeErrors,
  kubeUnreachable,
  retryAfterMs,
  statusOf,
  toKubeError,
  type WhyRefused,
  whyRefused,
} from "./errors/index.ts";
export { type Hook, packRelease, type Release, readRelease, unpackRelease } from "./helm/index.ts";
export {
  type ApiResource,
  apiVersionOf,
  type Condition,
  eventKinds,
  Fields,
  isEventKind,
  isOlder,
  type KubeMetadata,
  type KubeObject,
  type KubeOwnerReference,
  type ObjectEvents,
  readEventMs,
  resourceKey,
  resourcePath,
} from "./objects/index.ts";
export {
  getMetadata,
  getObject,
  LineSplitter,
  type ListOptions,
  listMetadata,
  listObjects,
  type Selection,
} from "./read/index.ts";
export {
  type FollowHandler,
  followObjects,
  type ReflectorHandler,
  type ReflectorOptions,
  type ReflectorState,
  runReflector,
} from "./reflector/index.ts";
export {
  formatResource,
  isLasting,
  namesCaller,
  type RequestAttributes,
  readRequestAttributes,
} from "./requests/index.ts";
export {
  applyObject,
  createObject,
  deleteObject,
  type FieldConflict,
  fieldConflicts,
  replaceObject,
} from "./write/index.ts";
