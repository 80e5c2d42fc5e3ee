/** What was done, by whom. */
export type AuditTables = {};
