export { createKubeClient, type KubeClient, type KubeRequest, parseJson } from "./client.ts";
export { createKubePool, type KubePool } from "./pool.ts";
export { openStream } from "./stream-request.ts";
