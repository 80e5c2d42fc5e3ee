export { OwnedSyncs } from "./owned-syncs.ts";
export { createGitopsRpc } from "./rpc.ts";
export { createReplication, type Replication } from "./service.ts";
