export { addAuditHooks } from "./api-hook.ts";
export { parseQuery } from "./query.ts";
export { createAuditRoutes } from "./routes.ts";
export { type Audit, openAudit } from "./service.ts";
export type { AuditOutcome, AuditPort, AuditStart, AuditTrail } from "./types.ts";
