import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SECRET_REFERENCE_INVALID: {
    message: "The text that begins with {begin} isn't a valid reference.",
    hint: "Complete the reference with NAMESPACE/NAME/KEY and a closing brace. To use the text literally, put another $ before it.",
    meaning: "A text begins like a reference, but isn't a valid one.",
  },
  SECRET_REFERENCE_MISSING: {
    message: "{reference} doesn't exist in the cluster.",
    hint: "Create it in the cluster, or correct the reference.",
    meaning: "A command refers to a Secret, a ConfigMap or a key that doesn't exist.",
  },
  SECRET_REFERENCE_FORBIDDEN: {
    message: "The command isn't allowed to read {reference}: {reason}.",
    hint: "Give the agent's account permission to get it, and allow its namespace in the policy file (execute.namespaces).",
    meaning: "A command refers to a value that it isn't allowed to read.",
    remedy:
      "Give the agent's account the permission, or change the policy. The agent's own Secrets are always closed to commands.",
  },
  SECRET_REFERENCE_UNREADABLE: {
    retryable: true,
    message: "{reference} can't be read at the moment ({reason}).",
    hint: "Retry when the cluster's API server answers.",
    meaning: "The API server can't return the value of a reference at the moment.",
  },
  SECRET_REFERENCE_NOT_TEXT: {
    message: "The value of {reference} isn't UTF-8 text.",
    hint: "References insert text. Where bytes are needed, refer to the Secret itself.",
    meaning: "A command refers to a value that isn't UTF-8 text.",
  },
  SECRET_HOST_NOT_ALLOWED: {
    message: "The Secret {secret} isn't allowed for the host {host}, so it isn't sent there.",
    hint: "Add the host to the Secret's annotation fairlead.dev/hosts (for example git.example.com,*.example.org), or to execute.credentials in the agent's policy file.",
    meaning:
      "A command uses a Secret as a credential for a host that neither the Secret nor the policy allows. Nothing is sent.",
  },
  SECRET_HOST_UNENCRYPTED: {
    message: "{host} uses HTTP without TLS, so the Secret {secret} isn't sent there.",
    hint: "Use an address with TLS. Only servers on the agent's own machine get credentials without TLS.",
    meaning: "A command would send a Secret as a credential to another machine without TLS. Nothing is sent.",
    remedy: "Use an address with `https://` or `ssh://`, or don't set `plainHttp`.",
  },
  OUTPUTS_SECRET_FOREIGN: {
    message: "The Secret {namespace}/{name} already exists and doesn't belong to {owner}.",
    hint: "Choose another name, or delete the Secret if it is no longer needed.",
    meaning: "The Secret for the outputs already exists and belongs to another owner. It isn't overwritten.",
  },
  OUTPUTS_NAME_INVALID: {
    message: "{name} isn't a valid key of a Secret.",
    hint: "Use letters, digits, -, _ and ., at most 247 characters, and don't end the name in __type.",
    meaning: "The name of an output isn't a valid key of a Secret.",
    remedy: "Use letters, digits, `-`, `_` and `.`, and don't end the name in `__type`.",
  },
  OUTPUTS_TOO_LARGE: {
    message: "The outputs have {sizeBytes} bytes, but a Secret holds at most {limitBytes}.",
    hint: "Return fewer or smaller outputs.",
    meaning: "The outputs are larger than 1 MiB, the maximum size of a Secret.",
  },
} as const;

export const secretErrors: Errors<typeof table> = defineErrors(table);
