import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SECRET_REFERENCE_INVALID: {
    message: "The text that begins with {begin} isn't a reference.",
    hint: "A reference goes on with NAMESPACE/NAME/KEY and a closing brace. Put another $ before it where the text itself is meant.",
  },
  SECRET_REFERENCE_MISSING: {
    message: "{reference} doesn't exist in the cluster.",
    hint: "Create it there, or mend the reference.",
  },
  SECRET_REFERENCE_FORBIDDEN: {
    message: "The command may not read {reference}: {reason}.",
    hint: "The agent's account needs the right to get it, and the policy file (execute.namespaces) must allow its namespace.",
  },
  SECRET_REFERENCE_UNREADABLE: {
    retryable: true,
    message: "{reference} can't be read now ({reason}).",
    hint: "Try again when the cluster's API server answers.",
  },
  SECRET_REFERENCE_NOT_TEXT: {
    message: "The value of {reference} isn't text in UTF-8.",
    hint: "References stand in text. Refer to the Secret itself where bytes are needed.",
  },
  SECRET_HOST_NOT_ALLOWED: {
    message: "The Secret {secret} isn't meant for {host}, so it isn't sent there.",
    hint: "Name the host in its annotation fairlead.dev/hosts (such as git.example.com,*.example.org), or in the policy file of the cluster's agent (execute.credentials).",
  },
  SECRET_HOST_UNENCRYPTED: {
    message: "{host} speaks HTTP without TLS, so the Secret {secret} isn't sent there.",
    hint: "Use an address with TLS. Only servers on the agent's own machine get credentials without it.",
  },
  OUTPUTS_SECRET_FOREIGN: {
    message: "The Secret {namespace}/{name} exists, and doesn't belong to {owner}.",
    hint: "Choose another name, or remove the Secret if nobody needs it.",
  },
  OUTPUTS_NAME_INVALID: {
    message: "{name} can't be the key of a Secret.",
    hint: "Keys have letters, digits, -, _ and ., up to 247 of them, and don't end in __type.",
  },
  OUTPUTS_TOO_LARGE: {
    message: "The outputs have {sizeBytes} bytes, and a Secret takes {limitBytes}.",
    hint: "Give out fewer of them, or smaller ones.",
  },
} as const;

export const secretErrors: Errors<typeof table> = defineErrors(table);
