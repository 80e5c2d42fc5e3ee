import { envelopes } from "./envelopes.fixture.ts";
import { httpHeads } from "./http-heads.fixture.ts";
import { jsonPath } from "./json-path.fixture.ts";
import { kubeconfigs } from "./kubeconfigs.fixture.ts";
import { linkFrames } from "./link-frames.fixture.ts";
import { redis } from "./redis.fixture.ts";
import type { Fuzzer } from "./rule.ts";
import { selectors } from "./selectors.fixture.ts";
import { sessions } from "./sessions.fixture.ts";
import { smallLanguages } from "./small-languages.fixture.ts";
import { yaml } from "./yaml.fixture.ts";

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
