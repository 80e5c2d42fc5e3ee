import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  TEMPLATE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "docs/commands-templates.md describes templates, and the hub's OpenAPI document every call.",
    meaning: "The request isn't what the call takes; the message says where.",
  },
  TEMPLATE_INVALID: {
    httpStatus: 400,
    message: "The template can't be used as it is: {problems}.",
    hint: "docs/commands-templates.md says what schemas may hold, and where parameters may stand.",
    meaning: "The template can't be used as it is; the message says all places and why.",
  },
  TEMPLATE_TOO_LARGE: {
    httpStatus: 413,
    message: "The template has {sizeBytes} bytes, and may have {limitBytes}.",
    hint: "Let it refer to something larger that lies elsewhere, such as a chart in a registry.",
    meaning: "The template has more than 256 KiB.",
  },
  TEMPLATE_TOO_MANY: {
    httpStatus: 429,
    message: "There are as many templates as a hub may have: {limit}.",
    hint: "Remove one that nobody uses any more.",
    meaning: "There are 500 templates.",
  },
  TEMPLATE_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "{who} asks more about templates at once than the hub takes.",
    hint: "Wait for the answers to earlier requests.",
    meaning: "This user, or all together, ask more about templates at once than the hub takes.",
  },
  TEMPLATE_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no template '{name}', or you may not see it.",
    hint: "`fairlead template list` shows those that you may use.",
    meaning: "There is no such template, or you may not see it.",
  },
  TEMPLATE_CHANGED: {
    httpStatus: 409,
    message: "The template '{name}' isn't at revision {wanted} any more, but at {revision}.",
    hint: "Look at it as it is now (`fairlead template get`), and ask for it anew.",
    meaning: "The template isn't at the revision that was named: it was changed since.",
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
    meaning: "The request wishes for something that the template fixes itself.",
  },
  TEMPLATE_PARAMETERS_INVALID: {
    httpStatus: 400,
    message: "The values aren't what the template '{name}' takes: {problems}.",
    hint: "`fairlead template get` describes its parameters.",
    meaning: "Values are missing, unknown or not what the template takes; the message says which and why.",
  },
  TEMPLATE_RENDERING_INVALID: {
    httpStatus: 400,
    message: "The template '{name}' makes no valid command of these values: {problems}.",
    hint: "Try other values. The people who keep the template can let its schema refuse such ones.",
  },
} as const;

export const templateErrors: Errors<typeof table> = defineErrors(table);
