export { type AdminTokenNews, type AdminTokens, openAdminTokens } from "./admin-tokens.ts";
export { tokenErrors } from "./errors.ts";
export { handOverFirstToken, readKeptToken } from "./first-token.ts";
export { createLookUps, type LookUps, type WantedToken } from "./look-ups.ts";
export { newAdminToken } from "./new-admin-token.ts";
export { createToken, hashToken, readBearerToken, readTokenKind, saysItIsOver } from "./tokens.ts";
