export { createKubeClient, type KubeClient, type KubeRequest } from "./client.ts";
export { createKubePool, type KubePool } from "./pool.ts";
export { openStream } from "./stream-request.ts";
