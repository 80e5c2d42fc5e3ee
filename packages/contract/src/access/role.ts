import { z } from "zod";
import type { Infer } from "../infer.ts";
import {
  apiGroupSchema,
  namespaceSchema,
  plainNameSchema,
  resourcePatternSchema,
  subjectNameSchema,
  verbSchema,
} from "./names.ts";

const verbs = z
  .array(verbSchema)
  .min(1)
  .max(32)
  .describe("Verbs that the rule permits, such as `get` or `create`; `*` permits all");
const resources = z.array(resourcePatternSchema).min(1).max(100);
const names = z.array(subjectNameSchema).max(100);

const hubRuleSchema = z
  .strictObject({
    verbs,
    resources: resources.describe(
      "Resources of the hub, such as `clusters`, `clusters/tokens`, `audit`, `robots`, `roles`, `bindings`, `users` or `metrics`; `*` is all of them",
    ),
  })
  .meta({ id: "HubRule", description: "A rule on the hub's own API" });
export type HubRule = Infer<typeof hubRuleSchema>;

const clusterRuleSchema = z
  .strictObject({
    verbs,
    apiGroups: z
      .array(apiGroupSchema)
      .min(1)
      .max(100)
      .optional()
      .describe("API groups that the rule is for; an empty string is the core group (default: all groups)"),
    resources: resources.describe(
      "Resources that the rule permits: `pods`, `pods/exec`, `pods/*`, or `*` for everything, subresources included",
    ),
    except: resources.optional().describe("Resources that the rule doesn't permit, although `resources` names them"),
    namespaces: z
      .array(namespaceSchema)
      .min(1)
      .max(100)
      .optional()
      .describe(
        "Namespaces that the rule is for. It then permits no request across all namespaces or for a resource without one (default: no restriction)",
      ),
  })
  .meta({ id: "ClusterRule", description: "A rule on the API of the clusters that a binding names" });
export type ClusterRule = Infer<typeof clusterRuleSchema>;

const impersonationSchema = z
  .strictObject({
    users: names.optional().describe("User names that `kubectl --as` may give; `*` is every name but `system:*`"),
    groups: names.optional().describe("Groups that `kubectl --as-group` may give; `*` is every group but `system:*`"),
  })
  .meta({ id: "Impersonation", description: "Users and groups as whom a request may be sent" });
export type Impersonation = Infer<typeof impersonationSchema>;

const shape = {
  description: z.string().min(1).max(512).optional().describe("Purpose of the role, for people"),
  hubRules: z.array(hubRuleSchema).max(100).describe("Rules on the hub's own API"),
  clusterRules: z.array(clusterRuleSchema).max(100).describe("Rules on the API of clusters"),
  groups: names.describe(
    "Groups that are added to requests in a cluster, for the cluster's own RBAC, which decides after the hub",
  ),
  mayImpersonate: impersonationSchema
    .optional()
    .describe("Users and groups as whom requests may be sent (default: nobody)"),
};

export const putRoleRequestSchema = z
  .strictObject({
    ...shape,
    hubRules: shape.hubRules.optional().describe("Rules on the hub's own API (default: none)"),
    clusterRules: shape.clusterRules.optional().describe("Rules on the API of clusters (default: none)"),
    groups: shape.groups
      .optional()
      .describe(
        "Groups that are added to requests in a cluster, for the cluster's own RBAC, which decides after the hub (default: none)",
      ),
  })
  .meta({ id: "PutRoleRequest", description: "A role to create or to replace" });
export type PutRoleRequest = Infer<typeof putRoleRequestSchema>;

export const accessRoleSchema = z
  .object({
    name: plainNameSchema.describe("DNS label of the role"),
    isBuiltIn: z.boolean().describe("Whether the role comes with the hub, so that it can't be changed or removed"),
    ...shape,
  })
  .meta({ id: "AccessRole", description: "A set of rights that bindings give to users, groups and robots" });
export type AccessRole = Infer<typeof accessRoleSchema>;

export const accessRoleListSchema = z
  .object({ items: z.array(accessRoleSchema).describe("All roles, built-in ones included") })
  .meta({ id: "AccessRoleList", description: "List of roles" });
export type AccessRoleList = Infer<typeof accessRoleListSchema>;
