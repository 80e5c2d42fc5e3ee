import type { CallOptions, Send } from "../send.ts";
import { templatePaths as paths } from "./paths.ts";
import type { PutTemplateRequest, RenderTemplateRequest } from "./requests.ts";
import {
  type RenderedTemplate,
  renderedTemplateSchema,
  type TemplateDetail,
  type TemplateList,
  templateDetailSchema,
  templateListSchema,
} from "./template.ts";

export interface TemplateCalls {
  listTemplates(options?: CallOptions): Promise<TemplateList>;
  getTemplate(name: string, options?: CallOptions): Promise<TemplateDetail>;
  putTemplate(name: string, request: PutTemplateRequest, options?: CallOptions): Promise<TemplateDetail>;
  /** Changes nothing. */
  renderTemplate(name: string, request: RenderTemplateRequest, options?: CallOptions): Promise<RenderedTemplate>;
  removeTemplate(name: string, options?: CallOptions): Promise<void>;
}

export function createTemplateCalls(send: Send): TemplateCalls {
  const get = { method: "GET" };
  return {
    listTemplates: (call) => send({ ...call, ...get, path: paths.templates, answer: templateListSchema }),
    getTemplate: (name, call) => send({ ...call, ...get, path: paths.template(name), answer: templateDetailSchema }),
    putTemplate: (name, body, call) =>
      send({ ...call, method: "PUT", path: paths.template(name), body, answer: templateDetailSchema }),
    renderTemplate: (name, body, call) =>
      send({ ...call, method: "POST", path: paths.renderTemplate(name), body, answer: renderedTemplateSchema }),
    removeTemplate: (name, call) => send({ ...call, method: "DELETE", path: paths.template(name) }),
  };
}
