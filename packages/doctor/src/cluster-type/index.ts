export { type ClusterType, clusterTypes } from "./cluster-type.ts";
export { findClusterType, type TypeFinding } from "./find-cluster-type.ts";
