import { defineErrors, type Errors, type FairleadError, reasonOf } from "@fairlead/kernel";

const table = {
  KUBE_CONFIG_UNREADABLE: {
    message: "The file {path} can't be read.",
    hint: "Check the path, and that this user has permission to read the file.",
    meaning: "A kubeconfig, or a file that it names, can't be read.",
    remedy: "Check its path and permissions.",
  },
  KUBE_CONFIG_INVALID: {
    message: "The kubeconfig isn't valid: {detail}.",
    hint: "Run `kubectl config view --minify` with the same file and context to see how kubectl reads it.",
    meaning: "A kubeconfig isn't valid.",
  },
  KUBE_CONFIG_UNSUPPORTED: {
    message: "The kubeconfig uses {feature}, which Fairlead doesn't support.",
    hint: "{hint}",
    meaning: "A kubeconfig uses a feature that Fairlead doesn't support.",
    remedy: "Use the alternative that the message names.",
  },
  KUBE_NOT_IN_CLUSTER: {
    message: "This process doesn't run in a pod with a ServiceAccount: {detail}.",
    hint: "Specify a kubeconfig, or run the process in a pod that mounts its ServiceAccount token.",
  },
  KUBE_EXEC_PLUGIN_FAILED: {
    retryable: true,
    message: "The credential plugin {command} failed: {detail}.",
    hint: "Run the plugin manually as the same user. It must work without a terminal.",
    meaning: "A credential plugin of a kubeconfig failed.",
  },
  KUBE_TOKEN_UNREADABLE: {
    retryable: true,
    message: "The token file {path} can't be read or is empty.",
    hint: "Check that the ServiceAccount token is mounted and that this user can read it.",
  },
  KUBE_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The API server at {server} can't be reached ({reason}).",
    hint: "Check that the API server is running and that no firewall or proxy blocks the connection.",
  },
  KUBE_TIMEOUT: {
    httpStatus: 504,
    retryable: true,
    message: "The API server at {server} didn't answer within {timeoutMs} ms.",
    hint: "The API server may be overloaded. Retry, or increase the request's timeout.",
    meaning: "An API server didn't answer in time.",
  },
  KUBE_BAD_ANSWER: {
    httpStatus: 502,
    message: "The server at {server} isn't a Kubernetes API server.",
    hint: "Check the server address in the kubeconfig, and the proxies in between.",
    meaning: "The server that answered isn't a Kubernetes API server.",
  },
  KUBE_SILENT: {
    httpStatus: 504,
    retryable: true,
    message: "The API server at {server} sent nothing for {silentMs} ms.",
    hint: "A proxy or load balancer may have dropped the connection. Fairlead reconnects by itself.",
    meaning: "A list or watch stopped receiving data from the API server.",
    remedy: "Fairlead reconnects by itself. If this happens often, check the proxies and load balancers in between.",
  },
  KUBE_WATCH_CUT: {
    httpStatus: 503,
    retryable: true,
    message: "The API server at {server} closes watches as soon as they start.",
    hint: "The API server may be starting or overloaded. Check its log, and the proxies in between.",
  },
  KUBE_ANSWER_TOO_LARGE: {
    httpStatus: 502,
    message: "The API server sent an object larger than {limitBytes} bytes.",
    hint: "Exclude the kind, or make the object smaller.",
    meaning: "The API server sent an object larger than 32 MiB.",
  },
  // Refusals of an API server, in its own words.
  KUBE_REQUEST_FAILED: {
    message: "{message}",
    hint: "The message comes from the API server.",
    meaning: "The API server returned an error that has no code of its own here.",
  },
  KUBE_UNAUTHORIZED: {
    message: "{message}",
    hint: "Renew the credentials: they expired or were revoked.",
    meaning: "The API server rejected the credentials.",
  },
  KUBE_FORBIDDEN: {
    message: "{message}",
    hint: "Grant this identity the verb on the resource with RBAC.",
    meaning: "RBAC doesn't allow the request.",
  },
  KUBE_NOT_FOUND: {
    message: "{message}",
    hint: "Check name, namespace and API version.",
    meaning: "The object or API doesn't exist.",
  },
  KUBE_CONFLICT: {
    message: "{message}",
    hint: "Read the object again and retry: another client changed it in the meantime.",
    meaning: "Another client changed the object in the meantime.",
  },
  KUBE_ALREADY_EXISTS: {
    message: "{message}",
    hint: "Choose another name, or update the existing object.",
    meaning: "An object with this name already exists.",
  },
  KUBE_GONE: {
    message: "{message}",
    hint: "List again: the resource version is too old.",
    meaning: "The resource version is too old.",
  },
  KUBE_INVALID: {
    message: "{message}",
    hint: "Correct the fields that the message names.",
    meaning: "The API server rejected fields of the object.",
  },
  KUBE_TOO_MANY_REQUESTS: {
    message: "{message}",
    hint: "Send fewer requests, or give this identity a larger share with API Priority and Fairness.",
    meaning: "The API server limits the rate of requests.",
    remedy: "Retry later.",
  },
  KUBE_UNAVAILABLE: {
    message: "{message}",
    hint: "Retry: the API server is starting or overloaded.",
    meaning: "The API server is starting or overloaded.",
    remedy: "Retry later.",
  },
} as const;

export const kubeErrors: Errors<typeof table> = defineErrors(table);

export function kubeUnreachable(server: string, cause: unknown): FairleadError {
  return kubeErrors.KUBE_UNREACHABLE({ server, reason: reasonOf(cause), cause });
}
