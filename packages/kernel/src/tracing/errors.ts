import { defineErrors, type Errors } from "../define-errors.ts";

const table = {
  TRACE_HEADERS_INVALID: {
    message: "Line {line} of {path} isn't a header.",
    hint: "Write one header per line, for example: Authorization: Bearer TOKEN",
    meaning: "The file named by `--otlp-headers-file` has a line that isn't a header.",
  },
  TRACE_HEADERS_UNREADABLE: {
    message: "The OTLP headers can't be read from {path} ({reason}).",
    hint: "Check the path given with --otlp-headers-file, and its permissions.",
    meaning: "The file named by `--otlp-headers-file` can't be read at startup.",
  },
} as const;

export const tracingErrors: Errors<typeof table> = defineErrors(table);
