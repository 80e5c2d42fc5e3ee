export { type AdminTokenNews, type AdminTokens, openAdminTokens } from "./admin-tokens.ts";
export { tokenErrors } from "./errors.ts";
export { handOverFirstToken, readKeptToken } from "./first-token.ts";
export { newAdminToken } from "./new-admin-token.ts";
export { createToken, hashToken, readBearerToken } from "./tokens.ts";
