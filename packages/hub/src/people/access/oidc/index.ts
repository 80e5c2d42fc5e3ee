export { createOidcRoutes } from "./routes.ts";
export type { OidcSettings } from "./types.ts";
