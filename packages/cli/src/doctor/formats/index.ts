export { toDocument } from "./document.ts";
export type { Examination } from "./examination.ts";
export { formatFixes } from "./fixes.ts";
export { formatJunit } from "./junit.ts";
export { formatReport } from "./report-text.ts";
export { toSarif } from "./sarif.ts";
