export { openArgoRedis } from "./redis.ts";
export { createResourceTrees } from "./service.ts";
