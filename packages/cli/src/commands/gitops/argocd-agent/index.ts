export { addImportArgocdAgent } from "./import.ts";
