export { openAccess } from "./open-access.ts";
export { readCluster } from "./read-cluster.ts";
