export { createWholeNews, type WholeNews } from "./news.ts";
export { type Advance, startWholeWork } from "./work.ts";
