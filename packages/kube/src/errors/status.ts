import type { FairleadError } from "@fairlead/kernel";
import { kubeErrors } from "./errors.ts";

/** `metav1.Status`, the shape of every error of an API server. */
export interface KubeStatus {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly code?: number;
}

/** An API server's refusal as a coded error; the whole Status stays readable with `statusOf`. */
export function toKubeError(options: { httpStatus: number; body: unknown }): FairleadError {
  const { httpStatus } = options;
  const status = isStatus(options.body) ? options.body : undefined;
  const refusal = {
    message: status?.message ?? `The API server answered with status ${httpStatus}.`,
    httpStatus,
    retryable: httpStatus === 429 || httpStatus >= 500,
    cause: status,
  };
  if (httpStatus === 409 && status?.reason === "AlreadyExists") return kubeErrors.KUBE_ALREADY_EXISTS(refusal);
  return kubeErrors[codes[httpStatus as keyof typeof codes] ?? "KUBE_REQUEST_FAILED"](refusal);
}

/** The API server's own words behind a KUBE_* error. */
export function statusOf(error: FairleadError): KubeStatus | undefined {
  return isStatus(error.cause) ? error.cause : undefined;
}

function isStatus(value: unknown): value is KubeStatus {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}

const codes = {
  401: "KUBE_UNAUTHORIZED",
  403: "KUBE_FORBIDDEN",
  404: "KUBE_NOT_FOUND",
  409: "KUBE_CONFLICT",
  410: "KUBE_GONE",
  422: "KUBE_INVALID",
  429: "KUBE_TOO_MANY_REQUESTS",
  503: "KUBE_UNAVAILABLE",
} as const satisfies Readonly<Record<number, keyof typeof kubeErrors>>;
