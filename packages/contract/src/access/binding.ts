import { z } from "zod";
import { clusterNameSchema, type Labels, labelsSchema, timestampSchema } from "../primitives.ts";
import { plainNameSchema, subjectNameSchema } from "./names.ts";

/**
 * The one who gets a role. A robot goes by its own name (`ci`, not `robot:ci`); `admin-token` is the first-start token,
 * `admin`.
 */
export interface BindingSubject {
  readonly kind: "user" | "group" | "robot" | "admin-token";
  readonly name: string;
}

/** Where: by name, by the labels that a cluster has at the time, or everywhere. */
export type ClusterChoice =
  | { readonly names: string[] }
  | { readonly selector: { readonly matchLabels: Labels } }
  | { readonly all: true };

export interface CreateBindingRequest {
  readonly subject: BindingSubject;
  readonly role: string;
  readonly clusters: ClusterChoice;
  /** Exec and attach under this binding are recorded. */
  readonly record?: boolean | undefined;
}

export interface AccessBinding extends CreateBindingRequest {
  readonly id: string;
  readonly createdAt: string;
  /** The name of its maker. */
  readonly createdBy: string;
}

const shape = {
  subject: z
    .strictObject({ kind: z.enum(["user", "group", "robot", "admin-token"]), name: subjectNameSchema })
    .meta({ id: "BindingSubject" }),
  role: plainNameSchema,
  clusters: z
    .union([
      z.strictObject({ names: z.array(clusterNameSchema).min(1).max(1000) }),
      z.strictObject({
        selector: z.strictObject({
          matchLabels: labelsSchema.refine((labels) => Object.keys(labels).length > 0, { message: "names no label" }),
        }),
      }),
      z.strictObject({ all: z.literal(true) }),
    ])
    .meta({ id: "ClusterChoice" }),
  record: z.boolean().optional(),
};

export const createBindingRequestSchema: z.ZodType<CreateBindingRequest> = z
  .strictObject(shape)
  .meta({ id: "CreateBindingRequest" });

export const accessBindingSchema: z.ZodType<AccessBinding> = z
  .object({ id: z.string(), ...shape, createdAt: timestampSchema, createdBy: z.string() })
  .meta({ id: "AccessBinding" });

export interface CreatedBinding extends AccessBinding {
  /** Possible slips: a user who never signed in, a cluster that isn't there (yet). */
  readonly warnings?: string[] | undefined;
}

export const createdBindingSchema: z.ZodType<CreatedBinding> = z
  .object({
    id: z.string(),
    ...shape,
    createdAt: timestampSchema,
    createdBy: z.string(),
    warnings: z.array(z.string()).optional(),
  })
  .meta({ id: "CreatedBinding" });

export interface AccessBindingList {
  readonly items: AccessBinding[];
}

export const accessBindingListSchema: z.ZodType<AccessBindingList> = z
  .object({ items: z.array(accessBindingSchema) })
  .meta({ id: "AccessBindingList" });
