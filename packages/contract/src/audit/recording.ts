import { z } from "zod";
import { timestampSchema } from "../primitives.ts";

/** A recorded exec or attach. Its screen is an asciicast v2 document of its own. */
export interface Recording {
  readonly requestId: string;
  /** When it began. */
  readonly at: string;
  readonly user: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string | undefined;
  readonly kind: "exec" | "attach";
  /** `cut`: it isn't whole, and `reason` says why. */
  readonly state: "running" | "complete" | "cut";
  readonly reason?: string | undefined;
  readonly sizeBytes: number;
  readonly durationMs?: number | undefined;
}

export const recordingSchema: z.ZodType<Recording> = z
  .object({
    requestId: z.string(),
    at: timestampSchema,
    user: z.string(),
    cluster: z.string(),
    namespace: z.string(),
    pod: z.string(),
    container: z.string().optional(),
    kind: z.enum(["exec", "attach"]),
    state: z.enum(["running", "complete", "cut"]),
    reason: z.string().optional(),
    sizeBytes: z.int(),
    durationMs: z.number().optional(),
  })
  .meta({ id: "Recording" });

export interface RecordingList {
  /** Newest first. */
  readonly items: Recording[];
  readonly next?: string | undefined;
}

export const recordingListSchema: z.ZodType<RecordingList> = z
  .object({ items: z.array(recordingSchema), next: z.string().optional() })
  .meta({ id: "RecordingList" });
