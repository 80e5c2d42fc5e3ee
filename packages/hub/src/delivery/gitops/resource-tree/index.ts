export { openResourceTrees } from "./open.ts";
