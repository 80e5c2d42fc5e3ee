export { copyDatabase, databaseVariable } from "./copy-database.ts";
export { fillFolder } from "./fill-folder.ts";
