export { openChanges } from "./changes.ts";
export { chooseHistory } from "./history.ts";
export { createLooks } from "./looks.ts";
export type { Topic } from "./topics.ts";
export type { ChangeCounters, Changes, Topics } from "./types.ts";
