export { createStoredObjects } from "./stored-objects.ts";
