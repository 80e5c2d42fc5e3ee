export { Backoff, type BackoffOptions } from "./backoff.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export { FairleadError, type FairleadErrorOptions, isFairleadError, toFairleadError } from "./errors.ts";
export { createId, createSecret, type RandomBytes } from "./ids.ts";
export { isDnsLabel } from "./names.ts";
export { findPinnedCertificate, type PeerCertificate } from "./pinned-certificate.ts";
export { type Problem, toProblem } from "./problem.ts";
export { redact, redactedPaths } from "./redact.ts";
export { formatJoinToken, type JoinToken, parseJoinToken, tokenPrefixes } from "./tokens.ts";
