import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "The hub's OpenAPI document describes every call.",
  },
} as const;

export const bodyErrors: Errors<typeof table> = defineErrors(table);
