import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  TEMPLATE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "docs/commands-templates.md describes templates, and the hub's OpenAPI document every call.",
  },
  TEMPLATE_INVALID: {
    httpStatus: 400,
    message: "The template can't be used as it is: {problems}.",
    hint: "docs/commands-templates.md says what schemas may hold, and where parameters may stand.",
  },
  TEMPLATE_TOO_LARGE: {
    httpStatus: 413,
    message: "The template has {sizeBytes} bytes, and may have {limitBytes}.",
    hint: "Let it refer to something larger that lies elsewhere, such as a chart in a registry.",
  },
  TEMPLATE_TOO_MANY: {
    httpStatus: 429,
    message: "There are as many templates as a hub may have: {limit}.",
    hint: "Remove one that nobody uses any more.",
  },
  TEMPLATE_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "{who} asks more about templates at once than the hub takes.",
    hint: "Wait for the answers to earlier requests.",
  },
  TEMPLATE_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no template '{name}', or you may not see it.",
    hint: "`fairlead template list` shows those that you may use.",
  },
  TEMPLATE_CHANGED: {
    httpStatus: 409,
    message: "The template '{name}' isn't at revision {wanted} any more, but at {revision}.",
    hint: "Look at it as it is now (`fairlead template get`), and ask for it anew.",
  },
  TEMPLATE_CLUSTER_EXCLUDED: {
    httpStatus: 403,
    message: "The template '{name}' isn't for the cluster '{cluster}'.",
    hint: "`fairlead template get` says which clusters it is for.",
  },
  TEMPLATE_WISH_FIXED: {
    httpStatus: 400,
    message: "The template '{name}' says itself what '{wish}' is.",
    hint: "Leave it out.",
  },
  TEMPLATE_PARAMETERS_INVALID: {
    httpStatus: 400,
    message: "The values aren't what the template '{name}' takes: {problems}.",
    hint: "`fairlead template get` describes its parameters.",
  },
  TEMPLATE_RENDERING_INVALID: {
    httpStatus: 400,
    message: "The template '{name}' makes no valid command of these values: {problems}.",
    hint: "Try other values. The people who keep the template can let its schema refuse such ones.",
  },
} as const;

export const templateErrors: Errors<typeof table> = defineErrors(table);
