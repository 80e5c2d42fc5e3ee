import { FairleadError } from "@fairlead/kernel";

export function kubeconfigUnreadable(path: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "KUBE_CONFIG_UNREADABLE",
    message: `${path} can't be read.`,
    hint: "Check the path and that this user may read the file.",
    cause,
  });
}

export function kubeconfigInvalid(detail: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "KUBE_CONFIG_INVALID",
    message: `The kubeconfig can't be used: ${detail}.`,
    hint: "`kubectl config view --minify` with the same file and context shows what kubectl makes of it.",
    cause,
  });
}

export function kubeconfigUnsupported(feature: string, hint: string): FairleadError {
  return new FairleadError({
    code: "KUBE_CONFIG_UNSUPPORTED",
    message: `The kubeconfig uses ${feature}, which Fairlead doesn't support.`,
    hint,
  });
}

export function notInCluster(detail: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "KUBE_NOT_IN_CLUSTER",
    message: `This process doesn't run in a pod with a service account: ${detail}.`,
    hint: "Give a kubeconfig, or run it in a pod whose service account token is mounted.",
    cause,
  });
}

export function execPluginFailed(command: string, detail: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "KUBE_EXEC_PLUGIN_FAILED",
    message: `The credential plugin ${command} failed: ${detail}.`,
    hint: "Run the plugin by hand as the same user; it has to work without a terminal.",
    retryable: true,
    cause,
  });
}

export function tokenUnreadable(path: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "KUBE_TOKEN_UNREADABLE",
    message: `The token file ${path} can't be read or is empty.`,
    hint: "Check that the service account token is mounted and readable by this user.",
    retryable: true,
    cause,
  });
}

export function kubeUnreachable(server: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "KUBE_UNREACHABLE",
    message: `The API server at ${server} can't be reached (${reasonOf(cause)}).`,
    hint: "Check that it runs and that nothing on the way blocks the connection.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function kubeTimeout(server: string, timeoutMs: number): FairleadError {
  return new FairleadError({
    code: "KUBE_TIMEOUT",
    message: `The API server at ${server} didn't answer within ${timeoutMs} ms.`,
    hint: "It may be overloaded; try again, or give the request more time.",
    httpStatus: 504,
    retryable: true,
  });
}

export function kubeBadAnswer(server: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "KUBE_BAD_ANSWER",
    message: `What answers at ${server} isn't a Kubernetes API server.`,
    hint: "Check the server address in the kubeconfig, and proxies on the way.",
    httpStatus: 502,
    cause,
  });
}

export function kubeSilent(server: string, silentMs: number): FairleadError {
  return new FairleadError({
    code: "KUBE_SILENT",
    message: `The API server at ${server} sent nothing for ${silentMs} ms.`,
    hint: "Something on the way may have forgotten the connection; it is made anew.",
    httpStatus: 504,
    retryable: true,
  });
}

export function kubeWatchCut(server: string): FairleadError {
  return new FairleadError({
    code: "KUBE_WATCH_CUT",
    message: `The API server at ${server} ends watches as soon as they begin.`,
    hint: "It may be starting or overloaded; look at its log and at proxies on the way.",
    httpStatus: 503,
    retryable: true,
  });
}

export function kubeAnswerTooLarge(limitBytes: number): FairleadError {
  return new FairleadError({
    code: "KUBE_ANSWER_TOO_LARGE",
    message: `The API server sent an object of more than ${limitBytes} bytes.`,
    hint: "Leave the kind out, or make the object smaller.",
    httpStatus: 502,
  });
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return "unknown reason";
}
