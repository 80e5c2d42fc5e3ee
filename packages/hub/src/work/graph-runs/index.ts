export { createGraphRunNews, type GraphRunNews } from "./news.ts";
export { openRollouts, type Rollouts, type RolloutsRoom } from "./rollouts/index.ts";
export { openStacks, type StacksRoom } from "./stacks/index.ts";
