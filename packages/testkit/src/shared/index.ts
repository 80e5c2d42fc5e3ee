export { startBroker } from "./broker.ts";
export { createNamespace, type TestNamespace } from "./create-namespace.ts";
export { type LeasedCluster, type LeaseOptions, leaseCluster } from "./lease-cluster.ts";
export { sharedCluster } from "./shared-cluster.ts";
