import { defineErrors, type Errors } from "../define-errors.ts";

const table = {
  TRACE_HEADERS_INVALID: {
    message: "Line {line} of {path} isn't a header.",
    hint: "Write one header a line, for example: Authorization: Bearer TOKEN",
    meaning: "The file of `--otlp-headers-file` has a line that isn't a header.",
  },
  TRACE_HEADERS_UNREADABLE: {
    message: "The headers for the collector can't be read from {path} ({reason}).",
    hint: "Check the file that --otlp-headers-file names, and its permissions.",
    meaning: "The file of `--otlp-headers-file` can't be read when the program starts.",
  },
} as const;

export const tracingErrors: Errors<typeof table> = defineErrors(table);
