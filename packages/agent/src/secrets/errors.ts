import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SECRET_REFERENCE_INVALID: {
    message: "The text that begins with {begin} isn't a reference.",
    hint: "A reference goes on with NAMESPACE/NAME/KEY and a closing brace. Put another $ before it where the text itself is meant.",
    meaning: "A text begins like a reference, but isn't one.",
  },
  SECRET_REFERENCE_MISSING: {
    message: "{reference} doesn't exist in the cluster.",
    hint: "Create it there, or mend the reference.",
    meaning: "A command refers to a Secret, a ConfigMap or a key that isn't there.",
  },
  SECRET_REFERENCE_FORBIDDEN: {
    message: "The command may not read {reference}: {reason}.",
    hint: "The agent's account needs the right to get it, and the policy file (execute.namespaces) must allow its namespace.",
    meaning: "A command refers to a value that it may not read.",
    remedy: "Give the agent's account the right, or mend the policy; the agent's own Secrets are closed in any case.",
  },
  SECRET_REFERENCE_UNREADABLE: {
    retryable: true,
    message: "{reference} can't be read now ({reason}).",
    hint: "Try again when the cluster's API server answers.",
    meaning: "The API server can't answer for a reference now.",
  },
  SECRET_REFERENCE_NOT_TEXT: {
    message: "The value of {reference} isn't text in UTF-8.",
    hint: "References stand in text. Refer to the Secret itself where bytes are needed.",
    meaning: "A command refers to a value that isn't UTF-8.",
  },
  SECRET_HOST_NOT_ALLOWED: {
    message: "The Secret {secret} isn't meant for {host}, so it isn't sent there.",
    hint: "Name the host in its annotation fairlead.dev/hosts (such as git.example.com,*.example.org), or in the policy file of the cluster's agent (execute.credentials).",
    meaning:
      "A command uses a Secret as a credential for a host that neither the Secret nor the policy names. Nothing is sent.",
  },
  SECRET_HOST_UNENCRYPTED: {
    message: "{host} speaks HTTP without TLS, so the Secret {secret} isn't sent there.",
    hint: "Use an address with TLS. Only servers on the agent's own machine get credentials without it.",
    meaning: "A command would send a Secret as a credential without TLS to another machine. Nothing is sent.",
    remedy: "Use an address with `https://` or `ssh://`, or no `plainHttp`.",
  },
  OUTPUTS_SECRET_FOREIGN: {
    message: "The Secret {namespace}/{name} exists, and doesn't belong to {owner}.",
    hint: "Choose another name, or remove the Secret if nobody needs it.",
    meaning: "The Secret for the outputs is there and belongs to somebody else. Nothing is written over.",
  },
  OUTPUTS_NAME_INVALID: {
    message: "{name} can't be the key of a Secret.",
    hint: "Keys have letters, digits, -, _ and ., up to 247 of them, and don't end in __type.",
    meaning: "An output can't be the key of a Secret.",
    remedy: "Letters, digits, `-`, `_` and `.`; not ending in `__type`.",
  },
  OUTPUTS_TOO_LARGE: {
    message: "The outputs have {sizeBytes} bytes, and a Secret takes {limitBytes}.",
    hint: "Give out fewer of them, or smaller ones.",
    meaning: "Outputs are larger than the 1 MiB of a Secret.",
  },
} as const;

export const secretErrors: Errors<typeof table> = defineErrors(table);
