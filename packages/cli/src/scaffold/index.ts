export type { Input } from "./blueprint.ts";
export { type Files, inputsOf, renderFiles } from "./render.ts";
