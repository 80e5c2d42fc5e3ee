import { FairleadError } from "@fairlead/kernel";

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
  const status = isStatus(options.body) ? options.body : undefined;
  const row = rows[options.httpStatus] ?? fallback;
  const already = options.httpStatus === 409 && status?.reason === "AlreadyExists";
  return new FairleadError({
    ...(already ? alreadyExists : row),
    message: status?.message ?? `The API server answered with status ${options.httpStatus}.`,
    httpStatus: options.httpStatus,
    retryable: options.httpStatus === 429 || options.httpStatus >= 500,
    cause: status,
  });
}

/** The API server's own words behind a KUBE_* error. */
export function statusOf(error: FairleadError): KubeStatus | undefined {
  return isStatus(error.cause) ? error.cause : undefined;
}

function isStatus(value: unknown): value is KubeStatus {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}

const alreadyExists = { code: "KUBE_ALREADY_EXISTS", hint: "Choose another name, or update the existing object." };
const fallback = { code: "KUBE_REQUEST_FAILED", hint: "The message is the API server's own." };
const rows: Readonly<Record<number, { readonly code: string; readonly hint: string }>> = {
  401: { code: "KUBE_UNAUTHORIZED", hint: "The credentials expired or were revoked; renew them." },
  403: { code: "KUBE_FORBIDDEN", hint: "Grant this identity the verb on the resource with RBAC." },
  404: { code: "KUBE_NOT_FOUND", hint: "Check name, namespace and API version." },
  409: { code: "KUBE_CONFLICT", hint: "Someone changed the object meanwhile; read it again and retry." },
  410: { code: "KUBE_GONE", hint: "The resource version is too old; list again." },
  422: { code: "KUBE_INVALID", hint: "The message names the fields that were refused." },
  429: {
    code: "KUBE_TOO_MANY_REQUESTS",
    hint: "Slow down, or give this identity a larger share by priority and fairness.",
  },
  503: { code: "KUBE_UNAVAILABLE", hint: "The API server is starting or overloaded; try again." },
};
