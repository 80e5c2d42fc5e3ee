export { checkSpec, type KnownParameter } from "./check-spec.ts";
export { choosesCode } from "./chooses-code.ts";
export { findReference } from "./references.ts";
export { type Rendered, renderSpec } from "./render.ts";
