export { templateLimits } from "./names.ts";
export { templateOperations } from "./operations.ts";
export {
  type PutTemplateRequest,
  putTemplateRequestSchema,
  type RenderTemplateRequest,
  renderTemplateRequestSchema,
  templateNameSchema,
} from "./requests.ts";
export type { RenderedTemplate, Template, TemplateClusters, TemplateDetail, TemplateList } from "./template.ts";
