import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_EXEC_VERSION_UNKNOWN: {
    message: "The Kubernetes client asks for a kind of credential that this command doesn't know.",
    hint: "Write the kubeconfig again with 'fairlead kubeconfig', for a client that knows {known}.",
    meaning: "A Kubernetes client asked `fairlead credential` for a version of credential that it doesn't know.",
    remedy: "Write the kubeconfig again with `fairlead kubeconfig`; update the client.",
  },
  CLI_USAGE: {
    httpStatus: 400,
    message: "'fairlead credential' was called wrongly.",
    hint: "Write the kubeconfig again with 'fairlead kubeconfig'.",
    meaning: "The command was typed wrongly: an unknown command or option, a missing or malformed argument.",
    remedy: "Follow the hint, or see the command with `--help`.",
  },
} as const;

export const credentialErrors: Errors<typeof table> = defineErrors(table);

export function execVersionUnknown(known: readonly string[]): FairleadError {
  return credentialErrors.CLI_EXEC_VERSION_UNKNOWN({ known: known.join(" or ") });
}
