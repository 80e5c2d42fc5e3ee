export { type ApplyOptions, applyObject } from "./apply-object.ts";
export { type DeleteOptions, deleteObject } from "./delete-object.ts";
export { type FieldConflict, fieldConflicts } from "./field-conflicts.ts";
