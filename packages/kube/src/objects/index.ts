export { type Condition, Fields } from "@fairlead/kernel";
export { type ApiResource, apiVersionOf, resourceKey, resourcePath } from "./api-resource.ts";
export { completeObject } from "./complete-object.ts";
export { eventKinds, isEventKind, readEventMs } from "./event-time.ts";
export type { KubeMetadata, KubeObject, KubeOwnerReference } from "./kube-object.ts";
export type { ObjectEvents } from "./object-events.ts";
export { isOlder } from "./resource-version.ts";
