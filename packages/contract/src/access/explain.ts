import { z } from "zod";
import { clusterNameSchema } from "../primitives.ts";
import type { BindingSubject } from "./binding.ts";
import { namespaceSchema, subjectNameSchema, verbSchema } from "./names.ts";

/** `pods`, `deployments.apps`, `pods/exec`; without a cluster one of the hub's own, such as `clusters`. */
const requestedResourceSchema: z.ZodType<string> = z
  .string()
  .max(253)
  .regex(/^[a-z0-9][a-z0-9.-]*(?:\/[a-z0-9][a-z0-9.-]*)?$/, { message: "is not a resource" });

export interface ExplainRequest {
  readonly subject: {
    readonly kind: "user" | "robot" | "admin-token";
    readonly name: string;
    /** The groups of the user's latest sign-in, unless told. */
    readonly groups?: string[] | undefined;
  };
  readonly verb: string;
  readonly resource: string;
  readonly cluster?: string | undefined;
  /** Absent: over all of them, or of something that has none. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export const explainRequestSchema: z.ZodType<ExplainRequest> = z
  .strictObject({
    subject: z.strictObject({
      kind: z.enum(["user", "robot", "admin-token"]),
      name: subjectNameSchema,
      groups: z.array(subjectNameSchema).max(1000).optional(),
    }),
    verb: verbSchema.refine((verb) => verb !== "*", { message: "is not one verb" }),
    resource: requestedResourceSchema,
    cluster: clusterNameSchema.optional(),
    namespace: namespaceSchema.optional(),
    name: z.string().min(1).max(253).optional(),
  })
  .meta({ id: "ExplainRequest" });

export interface Explanation {
  readonly allowed: boolean;
  readonly reason: string;
  /** The identity that the cluster would see; its own RBAC has the last word. */
  readonly identity?: { readonly user: string; readonly groups: string[] } | undefined;
  readonly considered: ConsideredBinding[];
}

/** A binding of the subject, and why it gives the right or doesn't. */
export interface ConsideredBinding {
  /** Its id. */
  readonly binding: string;
  readonly role: string;
  readonly matched: boolean;
  readonly why: string;
}

export const explanationSchema: z.ZodType<Explanation> = z
  .object({
    allowed: z.boolean(),
    reason: z.string(),
    identity: z.object({ user: z.string(), groups: z.array(z.string()) }).optional(),
    considered: z.array(
      z
        .object({ binding: z.string(), role: z.string(), matched: z.boolean(), why: z.string() })
        .meta({ id: "ConsideredBinding" }),
    ),
  })
  .meta({ id: "Explanation" });

export interface WhoCanRequest {
  readonly verb: string;
  readonly resource: string;
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
}

export const whoCanRequestSchema: z.ZodType<WhoCanRequest> = z
  .strictObject({
    verb: verbSchema.refine((verb) => verb !== "*", { message: "is not one verb" }),
    resource: requestedResourceSchema,
    cluster: clusterNameSchema.optional(),
    namespace: namespaceSchema.optional(),
  })
  .meta({ id: "WhoCanRequest" });

export interface WhoCanAnswer {
  readonly items: { readonly subject: BindingSubject; readonly role: string; readonly binding: string }[];
}

export const whoCanAnswerSchema: z.ZodType<WhoCanAnswer> = z
  .object({
    items: z.array(
      z.object({
        subject: z.object({ kind: z.enum(["user", "group", "robot", "admin-token"]), name: z.string() }),
        role: z.string(),
        binding: z.string(),
      }),
    ),
  })
  .meta({ id: "WhoCanAnswer" });
