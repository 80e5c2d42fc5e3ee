import { FairleadError } from "@fairlead/kernel";

export function execVersionUnknown(known: readonly string[]): FairleadError {
  return new FairleadError({
    code: "CLI_EXEC_VERSION_UNKNOWN",
    message: "The Kubernetes client asks for a kind of credential that this command doesn't know.",
    hint: `Write the kubeconfig again with 'fairlead kubeconfig', for a client that knows ${known.join(" or ")}.`,
  });
}

export function credentialUsage(cause: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_USAGE",
    message: "'fairlead credential' was called wrongly.",
    hint: "Write the kubeconfig again with 'fairlead kubeconfig'.",
    httpStatus: 400,
    cause,
  });
}
