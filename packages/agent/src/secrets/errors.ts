import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SECRET_REFERENCE_INVALID: {
    message: "What begins with {begin} isn't a reference.",
    hint: "Behind it stand NAMESPACE/NAME/KEY and a closing brace. Put another $ before it where the text itself is meant.",
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
} as const;

export const secretErrors: Errors<typeof table> = defineErrors(table);
