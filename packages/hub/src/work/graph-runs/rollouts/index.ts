export { openRollouts, type RolloutsRoom } from "./open.ts";
export type { Rollouts } from "./service.ts";
