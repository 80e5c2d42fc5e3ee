import type { Operation } from "../old-operation.ts";
import { putTemplateRequestSchema, renderTemplateRequestSchema } from "./requests.ts";
import { renderedTemplateSchema, templateDetailSchema, templateListSchema } from "./template.ts";

const common = { method: "get", needsToken: true } as const;
const template = { status: 200, description: "The template", body: templateDetailSchema } as const;

export const templateOperations: readonly Operation[] = [
  {
    ...common,
    id: "listTemplates",
    path: "/api/v1/templates",
    summary: "Templates that one may look at or use somewhere",
    success: { status: 200, description: "Templates by name", body: templateListSchema },
  },
  {
    ...common,
    id: "getTemplate",
    path: "/api/v1/templates/{name}",
    summary: "One template with its parameters; its spec for those who may look at it",
    success: template,
  },
  {
    ...common,
    id: "putTemplate",
    method: "put",
    path: "/api/v1/templates/{name}",
    summary: "Make a template, or put another one in its place",
    request: putTemplateRequestSchema,
    success: template,
  },
  {
    ...common,
    id: "renderTemplate",
    method: "post",
    path: "/api/v1/templates/{name}/render",
    summary: "Say what a template makes of values; changes nothing",
    request: renderTemplateRequestSchema,
    success: { status: 200, description: "The command that it makes", body: renderedTemplateSchema },
  },
  {
    ...common,
    id: "removeTemplate",
    method: "delete",
    path: "/api/v1/templates/{name}",
    summary: "Remove a template; commands that were made of it go on",
    success: { status: 204, description: "Gone" },
  },
];
