import { jsonPath } from "./json-path.ts";
import { redis } from "./redis.ts";
import type { Fuzzer } from "./rule.ts";
import { selectors } from "./selectors.ts";

export { runFuzzers } from "./run-fuzzers.ts";

export const fuzzers: readonly Fuzzer[] = [jsonPath, redis, selectors];
