export { type Idempotency, toIdempotency } from "./idempotency.ts";
export { createWholeNews, type WholeNews } from "./news.ts";
export { type Advance, startWholeWork } from "./work.ts";
