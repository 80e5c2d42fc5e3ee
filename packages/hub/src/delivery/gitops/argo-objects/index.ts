export { releaseProjects } from "./release-projects.ts";
export { createArgoObjectRoutes } from "./routes.ts";
export { createArgoObjects } from "./service.ts";
