export { type ExaminedWith, toReportObjects } from "./report-objects.ts";
