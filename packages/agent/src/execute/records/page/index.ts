export { createPagedRecords } from "./paged-records.ts";
