export { kubeErrors, kubeUnreachable } from "./errors.ts";
export { isObjectMissing, type KubeStatus, retryAfterMs, statusOf, toKubeError } from "./status.ts";
