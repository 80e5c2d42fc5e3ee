export { type ApplyOptions, applyObject } from "./apply-object.ts";
export { type CreateOptions, createObject } from "./create-object.ts";
export { type DeleteOptions, deleteObject } from "./delete-object.ts";
export { type FieldConflict, fieldConflicts } from "./field-conflicts.ts";
export { type ReplaceOptions, replaceObject } from "./replace-object.ts";
