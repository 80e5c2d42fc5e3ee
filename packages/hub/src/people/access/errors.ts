import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "The hub's OpenAPI document describes every call.",
    meaning:
      "The body or the query of a call under /api/v1 has a member that is wrong or unknown; the message names it.",
    remedy: "Compare with the OpenAPI document.",
  },
} as const;

export const bodyErrors: Errors<typeof table> = defineErrors(table);
