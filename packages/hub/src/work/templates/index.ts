export { openTemplates, type TemplatesRoom } from "./open.ts";
