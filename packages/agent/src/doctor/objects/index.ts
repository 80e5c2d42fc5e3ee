export type { ExaminedWith } from "./examined-with.ts";
export { toReportObjects } from "./report-objects.ts";
