// Reads what a cluster says of an application's status. It checks the size and the shape, because it is written to the hub.
import {
  maxContentBytes,
  parseContent,
  type ReplicaContent,
  type ReplicaRefusal,
  type StatusPart,
} from "@fairlead/protocol";
import { z } from "zod";

export type ReadStatusPart =
  | { readonly is: "read"; readonly part: StatusPart }
  | { readonly is: "refused"; readonly refusal: ReplicaRefusal };

export function readStatusPart(content: ReplicaContent): ReadStatusPart {
  const sizeBytes = content.contentJson.byteLength;
  const maxBytes = maxContentBytes("applications");
  if (sizeBytes > maxBytes) return refuse("too-large", `Its status has ${sizeBytes} bytes; the hub takes ${maxBytes}.`);
  const { success, data } = partSchema.safeParse(parseJson(content));
  if (!success) return refuse("invalid", "It isn't the status of an application of Argo CD.");
  return { is: "read", part: data };
}

function parseJson(content: ReplicaContent): unknown {
  try {
    return parseContent<unknown>(content);
  } catch {
    return undefined;
  }
}

function refuse(reason: ReplicaRefusal["reason"], message: string): ReadStatusPart {
  return { is: "refused", refusal: { reason, message, retryAfterMs: 0 } };
}

const fieldsSchema = z.record(z.string(), z.unknown());
const partSchema: z.ZodType<StatusPart> = z.object({
  status: fieldsSchema,
  operation: fieldsSchema.optional(),
  refresh: z.object({ refresh: z.string().optional(), hydrate: z.string().optional() }),
}) as unknown as z.ZodType<StatusPart>;
