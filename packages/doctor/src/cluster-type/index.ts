export { type ClusterType, clusterTypes } from "./cluster-type.ts";
