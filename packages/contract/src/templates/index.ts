export { templateLimits } from "./names.ts";
export { templateOperations } from "./operations.ts";
export type {
  PutTemplateRequest,
  RenderTemplateRequest,
} from "./requests.ts";
export type { RenderedTemplate, Template, TemplateClusters, TemplateDetail, TemplateList } from "./template.ts";
