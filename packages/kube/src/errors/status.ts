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
export function toKubeError(options: {
  readonly httpStatus: number;
  readonly body: unknown;
  /** The value of the header. An API server that sheds load doesn't say it in a Status. */
  readonly retryAfterSeconds?: number | undefined;
}): FairleadError {
  const { httpStatus, body, retryAfterSeconds } = options;
  const status = isStatus(body) ? body : undefined;
  const refusal = {
    message: status?.message ?? `The API server answered with status ${httpStatus}.`,
    httpStatus,
    retryable: httpStatus === 429 || httpStatus >= 500,
    cause: withDelay(status, retryAfterSeconds),
  };
  if (httpStatus === 409 && status?.reason === "AlreadyExists") return kubeErrors.KUBE_ALREADY_EXISTS(refusal);
  return kubeErrors[codes[httpStatus as keyof typeof codes] ?? "KUBE_REQUEST_FAILED"](refusal);
}

function withDelay(status: KubeStatus | undefined, retryAfterSeconds: number | undefined): KubeStatus | undefined {
  if (retryAfterSeconds === undefined) return status;
  return { kind: "Status", apiVersion: "v1", ...status, details: { retryAfterSeconds, ...status?.details } };
}

/** How long an API server that refused a request wants to be left alone. */
export function retryAfterMs(error: FairleadError): number {
  const seconds = Number(statusOf(error)?.details?.["retryAfterSeconds"] ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : 0;
}

/** No object has this name. Undefined kinds and namespaces are KUBE_NOT_FOUND, too, and say nothing of objects. */
export function isObjectMissing(error: unknown, name: string): boolean {
  return kubeErrors.is(error, "KUBE_NOT_FOUND") && statusOf(error)?.details?.["name"] === name;
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
