export { createRunNews } from "./news.ts";
export { openLiveRuns } from "./open.ts";
