import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  TEMPLATE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request is invalid: {problems}.",
    hint: "See docs/commands-templates.md for templates, and the hub's OpenAPI document for every operation.",
    meaning: "The request is invalid; the message says where.",
  },
  TEMPLATE_INVALID: {
    httpStatus: 400,
    message: "The template is invalid: {problems}.",
    hint: "See docs/commands-templates.md for the allowed schemas and places of parameters.",
    meaning: "The template is invalid; the message lists all places and reasons.",
  },
  TEMPLATE_TOO_LARGE: {
    httpStatus: 413,
    message: "The template has {sizeBytes} bytes; the limit is {limitBytes} bytes.",
    hint: "Let it refer to larger content stored elsewhere, such as a chart in a registry.",
    meaning: "The template is larger than 256 KiB.",
  },
  TEMPLATE_TOO_MANY: {
    httpStatus: 429,
    message: "The hub has {limit} templates, which is the maximum.",
    hint: "Remove a template that isn't used.",
    meaning: "The hub has 500 templates, which is the maximum.",
  },
  TEMPLATE_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many requests about templates are in progress for {who}.",
    hint: "Wait for the responses to earlier requests.",
    meaning: "Too many requests about templates are in progress for the user, or for all users together.",
  },
  TEMPLATE_NOT_FOUND: {
    httpStatus: 404,
    message: "The template '{name}' doesn't exist, or you can't see it.",
    hint: "List the templates that you can use: `fairlead template list`.",
    meaning: "The template doesn't exist, or the caller can't see it.",
  },
  TEMPLATE_CHANGED: {
    httpStatus: 409,
    message: "The template '{name}' is at revision {revision}, not at the requested {wanted}.",
    hint: "Check the current revision (`fairlead template get`), and send a new request.",
    meaning: "The template changed and is no longer at the requested revision.",
  },
  TEMPLATE_CLUSTER_EXCLUDED: {
    httpStatus: 403,
    message: "The template '{name}' doesn't allow the cluster '{cluster}'.",
    hint: "See the allowed clusters: `fairlead template get`.",
  },
  TEMPLATE_WISH_FIXED: {
    httpStatus: 400,
    message: "The template '{name}' fixes the value of '{wish}'.",
    hint: "Remove it from the request.",
    meaning: "The request sets a value that the template fixes.",
  },
  TEMPLATE_PARAMETERS_INVALID: {
    httpStatus: 400,
    message: "The parameters for the template '{name}' are invalid: {problems}.",
    hint: "See its parameters: `fairlead template get`.",
    meaning: "Parameters are missing, unknown or invalid for the template; the message says which and why.",
  },
  TEMPLATE_RENDERING_INVALID: {
    httpStatus: 400,
    message: "The template '{name}' produced an invalid command for these parameters: {problems}.",
    hint: "Use other parameters. The template's owner can restrict its schema to reject them.",
  },
} as const;

export const templateErrors: Errors<typeof table> = defineErrors(table);
