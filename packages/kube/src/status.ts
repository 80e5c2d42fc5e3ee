import { FairleadError, type FairleadErrorOptions } from "@fairlead/kernel";

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
  const refusal: Refusal = {
    message: status?.message ?? `The API server answered with status ${httpStatus}.`,
    httpStatus,
    retryable: httpStatus === 429 || httpStatus >= 500,
    cause: status,
  };
  if (httpStatus === 409 && status?.reason === "AlreadyExists") return alreadyExists(refusal);
  return (errors[httpStatus] ?? requestFailed)(refusal);
}

/** The API server's own words behind a KUBE_* error. */
export function statusOf(error: FairleadError): KubeStatus | undefined {
  return isStatus(error.cause) ? error.cause : undefined;
}

function isStatus(value: unknown): value is KubeStatus {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}

type Refusal = Omit<FairleadErrorOptions, "code" | "hint">;

function alreadyExists(refusal: Refusal): FairleadError {
  return new FairleadError({
    code: "KUBE_ALREADY_EXISTS",
    hint: "Choose another name, or update the existing object.",
    ...refusal,
  });
}

function requestFailed(refusal: Refusal): FairleadError {
  return new FairleadError({ code: "KUBE_REQUEST_FAILED", hint: "The message is the API server's own.", ...refusal });
}

const errors: Readonly<Record<number, (refusal: Refusal) => FairleadError>> = {
  401: (refusal) =>
    new FairleadError({
      code: "KUBE_UNAUTHORIZED",
      hint: "The credentials expired or were revoked; renew them.",
      ...refusal,
    }),
  403: (refusal) =>
    new FairleadError({
      code: "KUBE_FORBIDDEN",
      hint: "Grant this identity the verb on the resource with RBAC.",
      ...refusal,
    }),
  404: (refusal) =>
    new FairleadError({ code: "KUBE_NOT_FOUND", hint: "Check name, namespace and API version.", ...refusal }),
  409: (refusal) =>
    new FairleadError({
      code: "KUBE_CONFLICT",
      hint: "Someone changed the object meanwhile; read it again and retry.",
      ...refusal,
    }),
  410: (refusal) =>
    new FairleadError({ code: "KUBE_GONE", hint: "The resource version is too old; list again.", ...refusal }),
  422: (refusal) =>
    new FairleadError({ code: "KUBE_INVALID", hint: "The message names the fields that were refused.", ...refusal }),
  429: (refusal) =>
    new FairleadError({
      code: "KUBE_TOO_MANY_REQUESTS",
      hint: "Slow down, or give this identity a larger share by priority and fairness.",
      ...refusal,
    }),
  503: (refusal) =>
    new FairleadError({
      code: "KUBE_UNAVAILABLE",
      hint: "The API server is starting or overloaded; try again.",
      ...refusal,
    }),
};
