export { openTemplates, type TemplatesRoom } from "./open.ts";
export { readPattern } from "./pattern/index.ts";
