import { z } from "zod";
import {
  apiGroupSchema,
  namespaceSchema,
  plainNameSchema,
  resourcePatternSchema,
  subjectNameSchema,
  verbSchema,
} from "./names.ts";

/** On the hub itself: `clusters`, `clusters/tokens`, `audit`, `robots`, `roles`, `bindings`, `users`, `metrics` … */
export interface HubRule {
  readonly verbs: string[];
  readonly resources: string[];
}

/** A rule on the API of the clusters that a binding names. An absent member narrows nothing. */
export interface ClusterRule {
  readonly verbs: string[];
  readonly apiGroups?: string[] | undefined;
  /** `pods`, `pods/exec`, `pods/*`, or `*` for everything, subresources too. */
  readonly resources: string[];
  /** Taken out of what `resources` gives. */
  readonly except?: string[] | undefined;
  /** Only requests within these; then nothing that has no namespace or goes over all of them. */
  readonly namespaces?: string[] | undefined;
}

/** The names that `kubectl --as` and `--as-group` may give; `*` is anyone but `system:*`. */
export interface Impersonation {
  readonly users?: string[] | undefined;
  readonly groups?: string[] | undefined;
}

export interface PutRoleRequest {
  readonly description?: string | undefined;
  readonly hubRules?: HubRule[] | undefined;
  readonly clusterRules?: ClusterRule[] | undefined;
  /** Groups that requests have in the cluster, whose RBAC decides after the hub. */
  readonly groups?: string[] | undefined;
  readonly mayImpersonate?: Impersonation | undefined;
}

export interface AccessRole {
  readonly name: string;
  /** Can't be changed or removed. */
  readonly isBuiltIn: boolean;
  readonly description?: string | undefined;
  readonly hubRules: HubRule[];
  readonly clusterRules: ClusterRule[];
  readonly groups: string[];
  readonly mayImpersonate?: Impersonation | undefined;
}

const verbs = z.array(verbSchema).min(1).max(32);
const resources = z.array(resourcePatternSchema).min(1).max(100);
const names = z.array(subjectNameSchema).max(100);

const shape = {
  description: z.string().min(1).max(512).optional(),
  hubRules: z.array(z.strictObject({ verbs, resources }).meta({ id: "HubRule" })).max(100),
  clusterRules: z
    .array(
      z
        .strictObject({
          verbs,
          apiGroups: z.array(apiGroupSchema).min(1).max(100).optional(),
          resources,
          except: resources.optional(),
          namespaces: z.array(namespaceSchema).min(1).max(100).optional(),
        })
        .meta({ id: "ClusterRule" }),
    )
    .max(100),
  groups: names,
  mayImpersonate: z
    .strictObject({ users: names.optional(), groups: names.optional() })
    .meta({ id: "Impersonation" })
    .optional(),
};

export const putRoleRequestSchema: z.ZodType<PutRoleRequest> = z
  .strictObject({
    ...shape,
    hubRules: shape.hubRules.optional(),
    clusterRules: shape.clusterRules.optional(),
    groups: shape.groups.optional(),
  })
  .meta({ id: "PutRoleRequest" });

export const accessRoleSchema: z.ZodType<AccessRole> = z
  .object({ name: plainNameSchema, isBuiltIn: z.boolean(), ...shape })
  .meta({ id: "AccessRole" });

export interface AccessRoleList {
  readonly items: AccessRole[];
}

export const accessRoleListSchema: z.ZodType<AccessRoleList> = z
  .object({ items: z.array(accessRoleSchema) })
  .meta({ id: "AccessRoleList" });
