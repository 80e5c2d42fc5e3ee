export { startBroker } from "./broker.ts";
export { createNamespace, type TestNamespace } from "./create-namespace.ts";
export { sharedCluster } from "./shared-cluster.ts";
