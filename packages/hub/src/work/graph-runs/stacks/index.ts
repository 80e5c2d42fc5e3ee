export { openStacks, type StacksRoom } from "./open.ts";
