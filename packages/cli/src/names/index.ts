export { readNames, type TypedSelection } from "./read-names.ts";
export { suggestNames } from "./suggest-names.ts";
