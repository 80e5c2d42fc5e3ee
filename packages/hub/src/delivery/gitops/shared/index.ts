export { copyProject, ownCluster } from "./copy-project.ts";
export { readGlob } from "./glob.ts";
export { mapWindows } from "./map-windows.ts";
export { type ClusterTarget, matchesNamespace, matchesProject } from "./match-project.ts";
export { matchesRepository } from "./match-repository.ts";
export type { SharedKind } from "./shared-kind.ts";
export { createSharedObjects, type SharedKindName, type SharedObjects } from "./shared-objects.ts";
export type { SharedObject, SharedPart } from "./types.ts";
