import { z } from "zod";
import { optionalTextSchema, timestampSchema } from "../primitives.ts";

/** Which records are wanted; all conditions together. */
export interface AuditQuery {
  /** Name of who asked. */
  readonly user?: string | undefined;
  readonly cluster?: string | undefined;
  /** RFC 3339; from then on. */
  readonly since?: string | undefined;
  /** RFC 3339; before then. */
  readonly until?: string | undefined;
  readonly verb?: string | undefined;
}

export interface AuditListQuery extends AuditQuery {
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
  /** At most 1,000; 100 unless told. */
  readonly limit?: number | undefined;
}

const filters: { [K in keyof Required<AuditQuery>]: z.ZodType<AuditQuery[K]> } = {
  user: optionalTextSchema(1024),
  cluster: optionalTextSchema(63),
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
  verb: optionalTextSchema(64),
};

export const auditQuerySchema: z.ZodType<AuditQuery> = z.strictObject(filters);

const limit: z.ZodType<number | undefined> = z.coerce.number().int().min(1).max(1_000).optional();
/** A record's time in milliseconds, its `seq` and its `chain`. */
const recordCursor = cursor(/^[0-9]{1,15}\.[0-9]{1,15}\.(chain_[0-9a-z]{26})?$/);

function cursor(form: RegExp): z.ZodType<string | undefined> {
  return z.string().regex(form, "isn't a cursor of this hub").optional();
}

export const auditListQuerySchema: z.ZodType<AuditListQuery> = z.strictObject({
  ...filters,
  cursor: recordCursor,
  limit,
});
export const recordingListQuerySchema: z.ZodType<RecordingListQuery> = z.strictObject({
  user: filters.user,
  cluster: filters.cluster,
  since: filters.since,
  until: filters.until,
  cursor: cursor(/^[0-9]{1,15}$/),
  limit,
});

export interface RecordingListQuery extends Omit<AuditListQuery, "verb"> {}
