// The policy file, as whoever runs a cluster writes it. Strict: a rule with a typing error would be no rule at all.
import { z } from "zod";

export interface Policy {
  readonly readOnly: boolean;
  readonly denySecretReads: boolean;
  readonly namespaces?: (Rules & { readonly clusterWide: boolean }) | undefined;
  readonly verbs?: Rules | undefined;
  readonly resources?: Rules | undefined;
  readonly groups?: { readonly allow?: readonly string[] | undefined } | undefined;
  readonly users?: { readonly deny?: readonly string[] | undefined } | undefined;
}

export interface Rules {
  /** Without it everything that isn't denied. */
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

const texts = z.array(z.string().min(1)).readonly();
const resourcePattern = z
  .string()
  .regex(
    /^(?:\*|(?:core|apps|batch|autoscaling|policy|extensions|\*|[a-z0-9*-]+(?:\.[a-z0-9*-]+)+)\/[a-z*][a-z0-9*.-]*(?:\/[a-z*]+)?)$/,
    "must look like GROUP/RESOURCE or GROUP/RESOURCE/SUBRESOURCE (core/pods, core/pods/exec, apps/*), or be *",
  );
const resources = z.array(resourcePattern).readonly();
const verbs = z
  .array(
    z.enum(["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"], {
      error: "must be get, list, watch, create, update, patch, delete, deletecollection or *",
    }),
  )
  .readonly();

export const policySchema: z.ZodType<Policy> = z.strictObject({
  readOnly: z.boolean().default(false),
  denySecretReads: z.boolean().default(false),
  namespaces: z
    .strictObject({ allow: texts.optional(), deny: texts.optional(), clusterWide: z.boolean().default(false) })
    .optional(),
  verbs: z.strictObject({ allow: verbs.optional(), deny: verbs.optional() }).optional(),
  resources: z.strictObject({ allow: resources.optional(), deny: resources.optional() }).optional(),
  groups: z.strictObject({ allow: texts.optional() }).optional(),
  users: z.strictObject({ deny: texts.optional() }).optional(),
});

/** The rules without a file: only those about the cluster's own users and groups, which always hold. */
export const openPolicyRules: Policy = { readOnly: false, denySecretReads: false };
