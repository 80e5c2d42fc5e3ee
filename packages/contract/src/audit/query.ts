import { z } from "zod";
import type { Infer } from "../infer.ts";
import { optionalTextSchema, timestampSchema } from "../primitives.ts";

const filters = {
  user: optionalTextSchema(1024).describe("Only requests of the caller with this name"),
  cluster: optionalTextSchema(63).describe("Only requests for this cluster"),
  since: timestampSchema.optional().describe("Only records from this RFC 3339 time on"),
  until: timestampSchema.optional().describe("Only records before this RFC 3339 time"),
};
const recordFilters = { ...filters, verb: optionalTextSchema(64).describe("Only requests with this verb") };
const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(1_000)
  .optional()
  .describe("Maximum number of items on the page, 1 to 1000 (default 100)");
/** A record's time in milliseconds, its `seq` and its `chain`. */
const recordCursor = cursor(/^[0-9]{1,15}\.[0-9]{1,15}\.(chain_[0-9a-z]{26})?$/);

function cursor(form: RegExp) {
  return z
    .string()
    .regex(form, "isn't a cursor of this hub")
    .optional()
    .describe("Cursor of the page: `next` of the previous page (default: the first page)");
}

/** Which records are wanted; all conditions together. */
export const auditQuerySchema = z.strictObject(recordFilters);
export type AuditQuery = Infer<typeof auditQuerySchema>;

export const auditListQuerySchema = z.strictObject({ ...recordFilters, cursor: recordCursor, limit });
export type AuditListQuery = Infer<typeof auditListQuerySchema>;

export const recordingListQuerySchema = z.strictObject({ ...filters, cursor: cursor(/^[0-9]{1,15}$/), limit });
export type RecordingListQuery = Infer<typeof recordingListQuerySchema>;
