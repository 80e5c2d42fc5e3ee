import { envelopes } from "./envelopes.ts";
import { httpHeads } from "./http-heads.ts";
import { jsonPath } from "./json-path.ts";
import { kubeconfigs } from "./kubeconfigs.ts";
import { linkFrames } from "./link-frames.ts";
import { redis } from "./redis.ts";
import type { Fuzzer } from "./rule.ts";
import { selectors } from "./selectors.ts";
import { sessions } from "./sessions.ts";
import { smallLanguages } from "./small-languages.ts";
import { yaml } from "./yaml.ts";

export { runFuzzers } from "./run-fuzzers.ts";

export const fuzzers: readonly Fuzzer[] = [
  envelopes,
  httpHeads,
  jsonPath,
  kubeconfigs,
  linkFrames,
  redis,
  selectors,
  sessions,
  smallLanguages,
  yaml,
];
