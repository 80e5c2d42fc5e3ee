export { kubeErrors, kubeUnreachable } from "./errors.ts";
export { type KubeStatus, statusOf, toKubeError } from "./status.ts";
