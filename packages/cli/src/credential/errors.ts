import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_EXEC_VERSION_UNKNOWN: {
    message: "The Kubernetes client asks for a kind of credential that this command doesn't know.",
    hint: "Write the kubeconfig again with 'fairlead kubeconfig', for a client that knows {known}.",
  },
  CLI_USAGE: {
    httpStatus: 400,
    message: "'fairlead credential' was called wrongly.",
    hint: "Write the kubeconfig again with 'fairlead kubeconfig'.",
  },
} as const;

export const credentialErrors: Errors<typeof table> = defineErrors(table);

export function execVersionUnknown(known: readonly string[]): FairleadError {
  return credentialErrors.CLI_EXEC_VERSION_UNKNOWN({ known: known.join(" or ") });
}
