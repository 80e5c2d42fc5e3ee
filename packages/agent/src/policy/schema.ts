// The policy file, as whoever runs a cluster writes it. Strict: a rule with a typing error would be no rule at all.
import { commandKinds } from "@fairlead/protocol";
import { z } from "zod";

export interface Policy {
  readonly readOnly: boolean;
  readonly denySecretReads: boolean;
  readonly namespaces?: NamespaceRules | undefined;
  readonly verbs?: Rules | undefined;
  readonly resources?: Rules | undefined;
  readonly groups?: { readonly allow?: readonly string[] | undefined } | undefined;
  readonly users?: { readonly deny?: readonly string[] | undefined } | undefined;
  /** For commands, beside all of the above. */
  readonly execute?: ExecuteRules | undefined;
}

export interface ExecuteRules {
  /** Without it every kind that the agent knows. */
  readonly kinds?: readonly string[] | undefined;
  readonly namespaces?: NamespaceRules | undefined;
  readonly resources?: Rules | undefined;
  readonly charts?: ChartRules | undefined;
}

export interface ChartRules {
  /** URLs of repositories, `oci://…` and what is below them, `inline`. Without it all. */
  readonly repositories?: { readonly allow?: readonly string[] | undefined } | undefined;
}

interface NamespaceRules extends Rules {
  readonly clusterWide: boolean;
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

const namespaces = z
  .strictObject({ allow: texts.optional(), deny: texts.optional(), clusterWide: z.boolean().default(false) })
  .optional();
const resourceRules = z.strictObject({ allow: resources.optional(), deny: resources.optional() }).optional();

export const policySchema: z.ZodType<Policy> = z.strictObject({
  readOnly: z.boolean().default(false),
  denySecretReads: z.boolean().default(false),
  namespaces,
  verbs: z.strictObject({ allow: verbs.optional(), deny: verbs.optional() }).optional(),
  resources: resourceRules,
  groups: z.strictObject({ allow: texts.optional() }).optional(),
  users: z.strictObject({ deny: texts.optional() }).optional(),
  execute: z
    .strictObject({
      kinds: z
        .array(z.enum(commandKinds, { error: `must be ${commandKinds.join(", ")}` }))
        .readonly()
        .optional(),
      namespaces,
      resources: resourceRules,
      charts: z.strictObject({ repositories: z.strictObject({ allow: texts.optional() }).optional() }).optional(),
    })
    .optional(),
});

/** The rules without a file: only those about the cluster's own users and groups, which always hold. */
export const openPolicyRules: Policy = { readOnly: false, denySecretReads: false };
