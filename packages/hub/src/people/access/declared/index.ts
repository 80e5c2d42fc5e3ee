export { createDeclaredAccess } from "./part.ts";
