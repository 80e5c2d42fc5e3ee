export { onAbort, orAbort, untilAbort } from "./abort.ts";
export { Backoff, type BackoffOptions } from "./backoff.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export { type Codes, defineCodes, defineErrors, type Errors } from "./define-errors.ts";
export { formatDuration, parseDuration } from "./duration.ts";
export { FairleadError, type FairleadErrorOptions, isFairleadError, reasonOf } from "./errors.ts";
export { isRawNumber, parseExactJson, type RawNumber } from "./exact-json.ts";
export { type Condition, Fields } from "./fields.ts";
export { findNearest } from "./find-nearest.ts";
export { createId, createSecret, type RandomBytes } from "./ids.ts";
export { isNestedDeeper } from "./is-nested-deeper.ts";
export { isRecord } from "./is-record.ts";
export { type LabelRequirement, matchesLabels, parseLabelSelector, readLabelSelector } from "./label-selector.ts";
export { listCertificates } from "./list-certificates.ts";
export { createLineSettings, describeError, type ErrorRecord, forComponent, setLogCluster } from "./log-lines.ts";
export { replaceMetrics } from "./metric-page.ts";
export {
  counterOf,
  createHistogram,
  createMeter,
  gaugeOf,
  type Histogram,
  histogramOf,
  type Meter,
  type MeteredMetric,
  type MetricRow,
  type MetricTable,
  type Sample,
} from "./metrics.ts";
export { isDnsLabel, isReservedClusterName, isSystemName } from "./names.ts";
export { networkOf } from "./network-of.ts";
export { findPinnedCertificate, type PeerCertificate } from "./pinned-certificate.ts";
export { printable } from "./printable.ts";
export { type Problem, toProblem } from "./problem.ts";
export { parseQuantity } from "./quantity.ts";
export { redact, redactedPaths } from "./redact.ts";
export { type Repetition, repeat } from "./repeat.ts";
export { formatRoundedDuration } from "./rounded-duration.ts";
export { createRounds } from "./rounds.ts";
export {
  createScrapeHandler,
  type ScrapedPage,
  type ScrapeRequest,
  type ScrapeResponse,
  scrapeLimits,
} from "./scrape.ts";
export { formatSize, parseSize } from "./size.ts";
export { Slots } from "./slots.ts";
export { takeUntilAbort } from "./take-until-abort.ts";
export { internalErrors, toFairleadError } from "./to-fairlead-error.ts";
export { formatJoinToken, type JoinToken, parseJoinToken, tokenPrefixes } from "./tokens.ts";
export { createTurns } from "./turns.ts";
