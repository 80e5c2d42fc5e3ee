export { openRollouts, type RolloutsRoom } from "./open.ts";
