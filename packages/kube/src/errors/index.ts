export { kubeErrors, kubeUnreachable } from "./errors.ts";
export { isObjectMissing, type KubeStatus, retryAfterMs, statusOf, toKubeError } from "./status.ts";
export { type WhyRefused, whyRefused } from "./why-refused.ts";
