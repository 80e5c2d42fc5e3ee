export { forgetLoginCodes } from "./login-codes.ts";
export { createOidcRoutes } from "./routes.ts";
export type { OidcSettings } from "./types.ts";
