export { type ClusterReading, type ReadClusterOptions, readCluster } from "./read-cluster.ts";
