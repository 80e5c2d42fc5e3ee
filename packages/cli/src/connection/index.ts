export { connectHub, connectLive, connectOpenly, type OpenLive } from "./connect.ts";
export { reachCluster } from "./reach-cluster.ts";
