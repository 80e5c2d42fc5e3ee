import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";

export const recordingSchema = z
  .object({
    requestId: z.string().describe("ID of the recorded request, by which the recording can be read"),
    at: timestampSchema.describe("RFC 3339 time at which the session began"),
    user: z.string().describe("Name of the user or robot that was recorded"),
    cluster: z.string().describe("Name of the cluster"),
    namespace: z.string().describe("Namespace of the pod"),
    pod: z.string().describe("Name of the pod"),
    container: z.string().optional().describe("Name of the container. Absent when the request named none"),
    kind: z.enum(["exec", "attach"]).describe("Whether the session was an `exec` or an `attach`"),
    state: z
      .enum(["running", "complete", "cut"])
      .describe("State of the recording. `cut`: its end is missing, and `reason` says why"),
    reason: z.string().optional().describe("Why the end of the recording is missing"),
    sizeBytes: z.int().describe("Size of the recording so far, in bytes"),
    durationMs: z.number().optional().describe("Duration of the session in milliseconds. Absent while it runs"),
  })
  .meta({
    id: "Recording",
    description:
      "A recorded `exec` or `attach` session. Its screen is an asciicast v2 document, which is read separately",
  });
export type Recording = Infer<typeof recordingSchema>;

export const recordingListSchema = z
  .object({
    items: z.array(recordingSchema).describe("Recordings, newest first"),
    next: z.string().optional().describe("Cursor of the next page (older recordings). Absent on the last page"),
  })
  .meta({ id: "RecordingList", description: "A page of recordings" });
export type RecordingList = Infer<typeof recordingListSchema>;
