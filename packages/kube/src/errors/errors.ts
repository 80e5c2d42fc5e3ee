import { defineErrors, type Errors, type FairleadError, reasonOf } from "@fairlead/kernel";

const table = {
  KUBE_CONFIG_UNREADABLE: {
    message: "{path} can't be read.",
    hint: "Check the path and that this user may read the file.",
    meaning: "A kubeconfig, or a file that it names, can't be read.",
    remedy: "Check path and permissions.",
  },
  KUBE_CONFIG_INVALID: {
    message: "The kubeconfig can't be used: {detail}.",
    hint: "`kubectl config view --minify` with the same file and context shows what kubectl makes of it.",
    meaning: "A kubeconfig can't be understood.",
  },
  KUBE_CONFIG_UNSUPPORTED: {
    message: "The kubeconfig uses {feature}, which Fairlead doesn't support.",
    hint: "{hint}",
    meaning: "A kubeconfig uses something that Fairlead doesn't support.",
    remedy: "The message names it and what to use instead.",
  },
  KUBE_NOT_IN_CLUSTER: {
    message: "This process doesn't run in a pod with a service account: {detail}.",
    hint: "Give a kubeconfig, or run it in a pod whose service account token is mounted.",
  },
  KUBE_EXEC_PLUGIN_FAILED: {
    retryable: true,
    message: "The credential plugin {command} failed: {detail}.",
    hint: "Run the plugin by hand as the same user; it has to work without a terminal.",
    meaning: "A credential plugin of a kubeconfig failed.",
  },
  KUBE_TOKEN_UNREADABLE: {
    retryable: true,
    message: "The token file {path} can't be read or is empty.",
    hint: "Check that the service account token is mounted and readable by this user.",
  },
  KUBE_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The API server at {server} can't be reached ({reason}).",
    hint: "Check that it runs and that nothing on the way blocks the connection.",
  },
  KUBE_TIMEOUT: {
    httpStatus: 504,
    retryable: true,
    message: "The API server at {server} didn't answer within {timeoutMs} ms.",
    hint: "It may be overloaded; try again, or give the request more time.",
    meaning: "An API server didn't answer in time.",
  },
  KUBE_BAD_ANSWER: {
    httpStatus: 502,
    message: "The server at {server} isn't a Kubernetes API server.",
    hint: "Check the server address in the kubeconfig, and proxies on the way.",
    meaning: "Something answers that isn't an API server.",
  },
  KUBE_SILENT: {
    httpStatus: 504,
    retryable: true,
    message: "The API server at {server} sent nothing for {silentMs} ms.",
    hint: "Something on the way may have forgotten the connection; it is made anew.",
    meaning: "A list or a watch of the API server stopped in the middle.",
    remedy: "It is made anew; if it happens often, look at proxies and load balancers on the way.",
  },
  KUBE_WATCH_CUT: {
    httpStatus: 503,
    retryable: true,
    message: "The API server at {server} ends watches as soon as they begin.",
    hint: "It may be starting or overloaded; look at its log and at proxies on the way.",
    remedy: "It may be starting or overloaded; its log tells.",
  },
  KUBE_ANSWER_TOO_LARGE: {
    httpStatus: 502,
    message: "The API server sent an object of more than {limitBytes} bytes.",
    hint: "Leave the kind out, or make the object smaller.",
    meaning: "The API server sent an object of more than 32 MiB.",
  },
  // Refusals of an API server, in its own words.
  KUBE_REQUEST_FAILED: {
    message: "{message}",
    hint: "The message is the API server's own.",
    meaning: "The API server answered with another error.",
  },
  KUBE_UNAUTHORIZED: {
    message: "{message}",
    hint: "The credentials expired or were revoked; renew them.",
    meaning: "The API server refused the credentials.",
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
    hint: "Someone changed the object meanwhile; read it again and retry.",
    meaning: "The object changed meanwhile.",
  },
  KUBE_ALREADY_EXISTS: {
    message: "{message}",
    hint: "Choose another name, or update the existing object.",
    meaning: "An object of that name is already there.",
  },
  KUBE_GONE: {
    message: "{message}",
    hint: "The resource version is too old; list again.",
    meaning: "The resource version is too old.",
  },
  KUBE_INVALID: {
    message: "{message}",
    hint: "The message names the fields that were refused.",
    meaning: "The API server refused fields of the object.",
  },
  KUBE_TOO_MANY_REQUESTS: {
    message: "{message}",
    hint: "Slow down, or give this identity a larger share by priority and fairness.",
    meaning: "The API server asks to slow down.",
    remedy: "Retry later.",
  },
  KUBE_UNAVAILABLE: {
    message: "{message}",
    hint: "The API server is starting or overloaded; try again.",
    meaning: "The API server is starting or overloaded.",
    remedy: "Retry later.",
  },
} as const;

export const kubeErrors: Errors<typeof table> = defineErrors(table);

export function kubeUnreachable(server: string, cause: unknown): FairleadError {
  return kubeErrors.KUBE_UNREACHABLE({ server, reason: reasonOf(cause), cause });
}
