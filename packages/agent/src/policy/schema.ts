// The policy file, as whoever runs a cluster writes it. Strict: a rule with a typing error would be no rule at all.
import { commandKinds } from "@fairlead/protocol";
import { z } from "zod";
import { isAddressPattern } from "./address-pattern.ts";
import { isHostPattern } from "./host-pattern.ts";

export interface Policy {
  readonly readOnly: boolean;
  readonly denySecretReads: boolean;
  readonly namespaces?: NamespaceRules | undefined;
  readonly verbs?: Rules | undefined;
  readonly resources?: Rules | undefined;
  readonly groups?: { readonly allow?: readonly string[] | undefined } | undefined;
  readonly users?: Rules | undefined;
  /** Which uids the hub may say that people have. Without it those that a hub's sign-in makes. */
  readonly uids?: AllowList | undefined;
  /** Which extras of a user the hub may set, by their keys. Without it none. */
  readonly extras?: AllowList | undefined;
  /** People may change what is in the agent's own namespace, this policy included. */
  readonly openOwnNamespace?: boolean | undefined;
  /** Where Argo CD here tracks its resources by a label, too. */
  readonly argo?: { readonly trackingLabel?: string | undefined } | undefined;
  /** For commands, beside all of the above. */
  readonly execute?: ExecuteRules | undefined;
}

export interface ExecuteRules {
  /** Without it every kind that the agent knows. */
  readonly kinds?: readonly string[] | undefined;
  readonly namespaces?: NamespaceRules | undefined;
  readonly resources?: Rules | undefined;
  readonly serviceAccounts?: ServiceAccountRules | undefined;
  /** URLs of repositories of charts, `oci://…` and what is below them, `inline`. */
  readonly charts?: { readonly repositories: AllowList } | undefined;
  /** Where repositories may lie. */
  readonly git?: { readonly hosts: AllowList } | undefined;
  /** Which hosts programs of commands reach, besides those of charts and git. */
  readonly network?: { readonly hosts: AllowList } | undefined;
  readonly tofu?: TofuPolicy | undefined;
  /** To which hosts Secrets go as credentials, besides those that the Secrets name themselves. */
  readonly credentials?: readonly CredentialRule[] | undefined;
}

export interface CredentialRule {
  /** `NAMESPACE/NAME` */
  readonly secret: string;
  readonly hosts: readonly string[];
}

interface TofuPolicy {
  /** Where modules may come from. */
  readonly modules?: AllowList | undefined;
  /** `HOST/NAMESPACE/TYPE`, with `*`. */
  readonly providers?: AllowList | undefined;
  /** Configurations may run programs: `data "external"`, `local-exec`, `remote-exec`. */
  readonly programs: boolean;
  /** Names of variables that commands may set, with `*`. Without it those of clouds. */
  readonly environment?: AllowList | undefined;
}

export interface ServiceAccountRules {
  /** `NAMESPACE/NAME`, with `*`. Without it all that RBAC allows. */
  readonly allow?: readonly string[] | undefined;
  /** No command runs with the agent's own rights. */
  readonly required: boolean;
}

interface AllowList {
  readonly allow: readonly string[];
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
const allowedTexts = z.strictObject({ allow: texts }).optional();
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
const accounts = z
  .array(
    z
      .string()
      .regex(/^[a-z0-9*][a-z0-9*-]*\/[a-z0-9*][a-z0-9.*-]*$/, "must look like NAMESPACE/NAME (team-*/deployer)"),
  )
  .readonly();
const addresses = z.strictObject({
  allow: z
    .array(z.string().refine(isAddressPattern, "must be an address, such as https://*.example.com/team/*"))
    .readonly(),
});
const hostPatterns = z
  .array(z.string().refine(isHostPattern, "must be a host, such as *.example.com or HOST:PORT"))
  .readonly();
const hosts = z.strictObject({ allow: hostPatterns });
const secretName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const variables = z.strictObject({
  allow: z.array(z.string().regex(/^[A-Za-z0-9_*]+$/, "must be the name of a variable, with * (AWS_*)")).readonly(),
});
const resourceRules = z.strictObject({ allow: resources.optional(), deny: resources.optional() }).optional();

const labelKey = /^(?:[a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/;

export const policySchema: z.ZodType<Policy> = z.strictObject({
  readOnly: z.boolean().default(false),
  denySecretReads: z.boolean().default(false),
  namespaces,
  verbs: z.strictObject({ allow: verbs.optional(), deny: verbs.optional() }).optional(),
  resources: resourceRules,
  groups: z.strictObject({ allow: texts.optional() }).optional(),
  users: z.strictObject({ allow: texts.optional(), deny: texts.optional() }).optional(),
  uids: allowedTexts,
  extras: allowedTexts,
  openOwnNamespace: z.boolean().optional(),
  argo: z
    .strictObject({ trackingLabel: z.string().regex(labelKey, "must be the key of a label").optional() })
    .optional(),
  execute: z
    .strictObject({
      kinds: z
        .array(z.enum(commandKinds, { error: `must be ${commandKinds.join(", ")}` }))
        .readonly()
        .optional(),
      namespaces,
      resources: resourceRules,
      serviceAccounts: z.strictObject({ allow: accounts.optional(), required: z.boolean().default(false) }).optional(),
      charts: z.strictObject({ repositories: addresses }).optional(),
      git: z.strictObject({ hosts }).optional(),
      network: z.strictObject({ hosts }).optional(),
      tofu: z
        .strictObject({
          modules: addresses.optional(),
          providers: addresses.optional(),
          programs: z.boolean().default(false),
          environment: variables.optional(),
        })
        .optional(),
      credentials: z
        .array(z.strictObject({ secret: z.string().regex(secretName, "must be NAMESPACE/NAME"), hosts: hostPatterns }))
        .readonly()
        .optional(),
    })
    .optional(),
});

/** The rules without a file: only those about the cluster's own users and groups, which always hold. */
export const openPolicyRules: Policy = { readOnly: false, denySecretReads: false };
