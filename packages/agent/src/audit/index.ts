export { openAuditStdout } from "./output.ts";
export { type AuditOutput, createAuditLog } from "./service.ts";
