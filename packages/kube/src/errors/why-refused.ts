import type { FairleadError } from "@fairlead/kernel";
import { kubeErrors } from "./errors.ts";
import { statusOf } from "./status.ts";

/** Why an API server didn't take an object. `unavailable` and `failed` say nothing of the object itself. */
export type WhyRefused =
  | "webhook"
  | "quota"
  | "forbidden"
  | "too-large"
  | "invalid"
  | "no-kind"
  | "no-namespace"
  | "conflict"
  | "exists"
  | "unavailable"
  | "failed";

/**
 * Sorts the refusals of writes. Admission webhooks, quotas and RBAC share the status 403, and are told apart by the words
 * that the API server puts around their messages.
 */
export function whyRefused(error: unknown): WhyRefused {
  if (!kubeErrors.is(error)) return "failed";
  const { message } = error;
  // A policy's word comes bare, or after that on the object.
  if (/^admission webhook "|^(?:\S+ "[^"]*" is forbidden: )?ValidatingAdmissionPolicy '/.test(message))
    return "webhook";
  if (/^\S+ "[^"]*" is forbidden: (?:exceeded quota|status unknown for quota): /.test(message)) return "quota";
  if (isTooLarge(error)) return "too-large";
  if (kubeErrors.is(error, "KUBE_FORBIDDEN") || kubeErrors.is(error, "KUBE_UNAUTHORIZED")) return "forbidden";
  if (kubeErrors.is(error, "KUBE_CONFLICT")) return "conflict";
  if (kubeErrors.is(error, "KUBE_ALREADY_EXISTS")) return "exists";
  if (kubeErrors.is(error, "KUBE_NOT_FOUND"))
    return statusOf(error)?.details?.["kind"] === "namespaces" ? "no-namespace" : "no-kind";
  if (kubeErrors.is(error, "KUBE_INVALID") || error.httpStatus === 400) return "invalid";
  return error.retryable ? "unavailable" : "failed";
}

/** etcd's limit and the API server's come as different errors. */
function isTooLarge({ httpStatus, message }: FairleadError): boolean {
  return httpStatus === 413 || /^etcdserver: request is too large|^Request entity too large/.test(message);
}
