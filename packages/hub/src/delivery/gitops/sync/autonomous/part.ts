// Reads what a cluster says of one of its objects. It checks everything, because it is written to the hub under the
// cluster's name.
import {
  type GitopsKind,
  maxContentBytes,
  parseContent,
  type ReplicaContent,
  type ReplicaRefusal,
} from "@fairlead/protocol";
import { z } from "zod";
import { clusterLabel } from "./marks.ts";

export interface MirroredPart {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly finalizers: readonly string[];
  };
  readonly spec: Readonly<Record<string, unknown>>;
  /** The uid of the hub's application whose copy it was while the cluster was managed. */
  readonly copyOf?: string | undefined;
}

export type ReadPart =
  | { readonly is: "read"; readonly part: MirroredPart }
  | { readonly is: "refused"; readonly refusal: ReplicaRefusal };

export function readPart(kind: GitopsKind, uid: string, content: ReplicaContent): ReadPart {
  // It is written on the mirror, which is found by it.
  if (!uidPattern.test(uid)) return refuse("invalid", "Its uid isn't one of a Kubernetes object.");
  const sizeBytes = content.contentJson.byteLength;
  const maxBytes = maxContentBytes(kind);
  if (sizeBytes > maxBytes) return refuse("too-large", `It has ${sizeBytes} bytes; the hub takes ${maxBytes}.`);
  const { success, data } = partSchema.safeParse(parseContent<unknown>(content));
  if (!success) return refuse("invalid", "It isn't a part of an object of Argo CD.");
  // A hub's own cluster may be autonomous, too.
  if (data.metadata.labels[clusterLabel] !== undefined) return refuse("taken", "It is a mirror that a hub made.");
  return { is: "read", part: data };
}

function refuse(reason: ReplicaRefusal["reason"], message: string): ReadPart {
  return { is: "refused", refusal: { reason, message, retryAfterMs: 0 } };
}

const uidPattern = /^[\w.-]{1,128}$/;
const textsSchema = z.record(z.string(), z.string());
const partSchema: z.ZodType<MirroredPart> = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    labels: textsSchema,
    annotations: textsSchema,
    finalizers: z.array(z.string()),
  }),
  spec: z.record(z.string(), z.unknown()),
  copyOf: z.string().optional(),
});
