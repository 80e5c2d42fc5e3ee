export { checkValues } from "./check-values.ts";
export { readParametersSchema } from "./read-schema.ts";
export type { ParametersSchema } from "./types.ts";
