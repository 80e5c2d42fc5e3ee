export { createRolloutNews, type RolloutNews } from "./news.ts";
export { openRollouts, type RolloutsRoom } from "./open.ts";
