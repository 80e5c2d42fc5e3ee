export { clusterAddress } from "./cluster-address.ts";
export { destinationOf } from "./destination-of.ts";
export { createDestinedApplications, type DestinedApplications } from "./destined-applications.ts";
export { type NamespaceRules, ownerOf, remappedNamespaces } from "./owner-of.ts";
