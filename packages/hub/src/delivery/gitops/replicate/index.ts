export { createGitopsRpc } from "./rpc.ts";
export { createReplication, type Replication } from "./service.ts";
