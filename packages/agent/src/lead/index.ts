export { createLeaseLead } from "./lease-lead.ts";
export { createSoleLead } from "./sole-lead.ts";
export type { Lead, Term } from "./types.ts";
