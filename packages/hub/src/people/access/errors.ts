import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request is invalid: {problems}.",
    hint: "See the operation in the hub's OpenAPI document.",
    meaning: "The body or the query of a request under /api/v1 has a wrong or unknown member; the message names it.",
    remedy: "Compare the request with the OpenAPI document.",
  },
} as const;

export const bodyErrors: Errors<typeof table> = defineErrors(table);
