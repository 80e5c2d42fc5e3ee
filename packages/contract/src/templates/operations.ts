import { z } from "zod";
import { defineOperations } from "../operation.ts";
import { putTemplateRequestSchema, renderTemplateRequestSchema, templateNameSchema } from "./requests.ts";
import { renderedTemplateSchema, templateDetailSchema, templateListSchema } from "./template.ts";

export const templateOperations = defineOperations({
  listTemplates: {
    method: "GET",
    path: "/api/v1/templates",
    summary: "Templates that one may look at or use somewhere",
    success: { status: 200, description: "Templates by name", body: templateListSchema },
    right: "get or use templates/{name}, for each template that is shown",
  },
  getTemplate: {
    method: "GET",
    path: "/api/v1/templates/{name}",
    summary: "One template with its parameters; its spec for those who may look at it",
    params: { name: z.string().describe("Name of the template") },
    success: { status: 200, description: "The template", body: templateDetailSchema },
    errors: ["TEMPLATE_NOT_FOUND"],
    right: "get or use templates/{name}",
  },
  putTemplate: {
    method: "PUT",
    path: "/api/v1/templates/{name}",
    summary: "Make a template, or put another one in its place",
    params: { name: templateNameSchema.describe("Name of the template") },
    request: putTemplateRequestSchema,
    success: { status: 200, description: "The template", body: templateDetailSchema },
    errors: [
      "TEMPLATE_REQUEST_INVALID",
      "TEMPLATE_INVALID",
      "TEMPLATE_TOO_LARGE",
      "TEMPLATE_TOO_MANY",
      "TEMPLATE_BUSY",
      "TEMPLATE_CHANGED",
      "COMMAND_SPEC_UNUSABLE",
    ],
    right: "create or update templates/{name}",
  },
  renderTemplate: {
    method: "POST",
    path: "/api/v1/templates/{name}/render",
    summary: "Say what a template makes of values; changes nothing",
    params: { name: z.string().describe("Name of the template") },
    request: renderTemplateRequestSchema,
    isRequestOptional: true,
    success: { status: 200, description: "The command that it makes", body: renderedTemplateSchema },
    errors: [
      "TEMPLATE_REQUEST_INVALID",
      "TEMPLATE_NOT_FOUND",
      "TEMPLATE_BUSY",
      "TEMPLATE_PARAMETERS_INVALID",
      "TEMPLATE_RENDERING_INVALID",
    ],
    right: "get or use templates/{name}",
  },
  removeTemplate: {
    method: "DELETE",
    path: "/api/v1/templates/{name}",
    summary: "Remove a template; commands that were made of it go on",
    params: { name: z.string().describe("Name of the template") },
    success: { status: 204, description: "Gone" },
    errors: ["TEMPLATE_NOT_FOUND"],
    right: "delete templates/{name}",
  },
});
