export { type ConfigMapName, type Needed, resourcesNeeded } from "./resources-needed.ts";
