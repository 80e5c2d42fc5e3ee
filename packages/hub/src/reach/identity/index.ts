export { identityErrors } from "./errors.ts";
export { requireDeclared } from "./require-declared.ts";
export { createEnrollRoutes } from "./routes.ts";
export { openIdentity } from "./service.ts";
export type { AgentIdentity, CertificateHolder, Enrollment, Identity, IssuedJoinToken, RevokedEvent } from "./types.ts";
