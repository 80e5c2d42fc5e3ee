import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_EXEC_VERSION_UNKNOWN: {
    message: "The Kubernetes client requested a credential version that this command doesn't support.",
    hint: "Write the kubeconfig again with 'fairlead kubeconfig', for a client that supports {known}.",
    meaning: "A Kubernetes client requested a credential version that `fairlead credential` doesn't support.",
    remedy: "Write the kubeconfig again with `fairlead kubeconfig`, and update the client.",
  },
  CLI_USAGE: {
    httpStatus: 400,
    message: "The arguments of 'fairlead credential' aren't valid.",
    hint: "Write the kubeconfig again with 'fairlead kubeconfig'.",
    meaning: "The command line isn't valid: an unknown command or option, or a missing or malformed argument.",
    remedy: "Follow the hint, or run the command with `--help`.",
  },
} as const;

export const credentialErrors: Errors<typeof table> = defineErrors(table);

export function execVersionUnknown(known: readonly string[]): FairleadError {
  return credentialErrors.CLI_EXEC_VERSION_UNKNOWN({ known: known.join(" or ") });
}
