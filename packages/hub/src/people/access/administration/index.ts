export { createAccessRequests } from "./access-requests.ts";
export { createAdministration } from "./administration.ts";
export { createGrantRoutes } from "./grant-routes.ts";
export { createAccessRequestRoutes } from "./request-routes.ts";
export { createSubjectRoutes } from "./subject-routes.ts";
