export { createAdministration } from "./administration.ts";
export { createGrantRoutes } from "./grant-routes.ts";
export { createSubjectRoutes } from "./subject-routes.ts";
