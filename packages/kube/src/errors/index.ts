export { kubeErrors, kubeUnreachable } from "./errors.ts";
export { type KubeStatus, retryAfterMs, statusOf, toKubeError } from "./status.ts";
