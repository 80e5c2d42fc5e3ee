import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import type { Infer } from "../infer.ts";
import { gitSourceSchema } from "./git.ts";
import { namespacedNameSchema } from "./namespaced-name.ts";

/** As Helm has it. */
const releaseSchema = z
  .string()
  .max(53)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/, "must be a name of a release");
const namespaceSchema = z.string().max(63).refine(isDnsLabel, { message: "must be a DNS label" });
const digestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/, "must be sha256:…");
const versionSchema = z
  .string()
  .max(128)
  .regex(/^[0-9A-Za-z][0-9A-Za-z.+_-]*$/, "must be one version, and no range");
const urlSchema = z.string().min(1).max(2_048);
const pathSchema = z.string().min(1).max(512);
const credentials = z
  .strictObject({
    secret: namespacedNameSchema.describe(
      "Secret with `username` and `password`, and optionally `ca.crt`, as `NAMESPACE/NAME`",
    ),
  })
  .optional()
  .describe("Credentials for the repository or registry (default: none)");

const chartSchema = z.union([
  z.strictObject({
    repository: urlSchema.describe("URL of the chart repository, `https://…` or `http://…`"),
    name: z
      .string()
      .max(253)
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "must be a name of a chart")
      .describe("Name of the chart in the repository"),
    version: versionSchema.describe("Exact version of the chart"),
    digest: digestSchema.optional().describe("Digest that the archive must have, `sha256:…` (default: no check)"),
    credentials,
  }),
  z.strictObject({
    oci: urlSchema.describe("Chart in an OCI registry, `oci://REGISTRY/PATH`"),
    version: versionSchema.optional().describe("Exact version of the chart. Either `version` or `digest` is required"),
    digest: digestSchema.optional().describe("Digest of the manifest in the registry, `sha256:…`"),
    plainHttp: z.boolean().optional().describe("Use HTTP without TLS (default false)"),
    credentials,
  }),
  z.strictObject({
    git: gitSourceSchema.describe("Git repository that holds the chart"),
    path: pathSchema.optional().describe("Folder of the chart in the repository (default: the root)"),
  }),
  z.strictObject({
    files: z
      .record(pathSchema, z.string())
      .describe("Contents of the chart's files by path: `Chart.yaml`, `templates/…`"),
  }),
]);

const valuesFromSchema = z
  .strictObject({
    secret: namespacedNameSchema
      .optional()
      .describe("Secret, as `NAMESPACE/NAME`. Exactly one of `secret` and `configMap` is required"),
    configMap: namespacedNameSchema
      .optional()
      .describe("ConfigMap, as `NAMESPACE/NAME`. Exactly one of `secret` and `configMap` is required"),
    key: z
      .string()
      .max(253)
      .regex(/^[-._a-zA-Z0-9]+$/, "must be a key of a Secret or ConfigMap")
      .optional()
      .describe("Key in the Secret or ConfigMap (default `values.yaml`)"),
    optional: z.boolean().optional().describe("Continue when the object or the key is missing (default false)"),
    targetPath: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe(
        "Path in the values that gets the whole text, such as `database.password` (default: the text is parsed as a map of values)",
      ),
  })
  .refine(({ secret, configMap }) => (secret === undefined) !== (configMap === undefined), {
    message: "must name either a secret or a configMap",
  });

export const helmSpecSchema = z
  .strictObject({
    release: releaseSchema.describe("Name of the release in its namespace, at most 53 characters"),
    namespace: namespaceSchema
      .optional()
      .describe("Namespace of the release, and of objects that name none (default `default`)"),
    action: z
      .enum(["upgrade", "uninstall", "rollback", "test"])
      .optional()
      .describe("Action to take. `upgrade` installs the release if it doesn't exist (default `upgrade`)"),
    chart: chartSchema.optional().describe("Chart to install. Only for `upgrade`, which requires it"),
    values: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        "Values of the chart, merged over `valuesFiles` and `valuesFrom`. Strings can hold references to Secrets and ConfigMaps (default: none)",
      ),
    reuseValues: z
      .boolean()
      .optional()
      .describe(
        "Start from the values of the deployed revision, which don't leave the cluster. Only for `upgrade` (default false)",
      ),
    valuesFiles: z
      .array(pathSchema)
      .max(32)
      .readonly()
      .optional()
      .describe(
        "Files of values, relative to the chart's folder or, with `git`, to the root of the repository (default: none)",
      ),
    valuesFrom: z
      .array(valuesFromSchema)
      .max(64)
      .readonly()
      .optional()
      .describe("Secrets and ConfigMaps that hold values. Later ones override earlier ones (default: none)"),
    wait: z
      .union([
        z.strictObject({
          timeoutSeconds: z
            .int()
            .min(1)
            .max(3_600)
            .optional()
            .describe(
              "Timeout in seconds for each step of Helm: hooks, objects, and the repair of a failed upgrade (default 300)",
            ),
          jobs: z.boolean().optional().describe("Also wait until Jobs have completed (default false)"),
        }),
        z.literal(false),
      ])
      .optional()
      .describe("Wait until the objects are ready (default: 300 s); `false` waits only for hooks"),
    atomic: z
      .boolean()
      .optional()
      .describe("Roll back a failed upgrade, and remove a failed installation. Only for `upgrade` (default false)"),
    createNamespace: z
      .boolean()
      .optional()
      .describe("Create the namespace if it doesn't exist. Only for `upgrade` (default false)"),
    forceConflicts: z
      .boolean()
      .optional()
      .describe("Take over fields that other field managers own. Only for `upgrade` and `rollback` (default false)"),
    skipHooks: z.boolean().optional().describe("Don't run hooks. Not for `test` (default false)"),
    skipCrds: z
      .boolean()
      .optional()
      .describe("Leave out the chart's folder `crds`. Only for `upgrade` (default false)"),
    historyMax: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("Number of revisions to keep. Only for `upgrade` and `rollback` (default 10)"),
    keepHistory: z
      .boolean()
      .optional()
      .describe("Keep the revisions, so that a rollback can restore the release. Only for `uninstall` (default false)"),
    revision: z
      .int()
      .min(1)
      .optional()
      .describe("Revision to roll back to. Only for `rollback` (default: the latest good one before the current one)"),
    readableSecrets: z
      .array(namespacedNameSchema)
      .max(50)
      .readonly()
      .optional()
      .describe(
        "Secrets that the chart looks up beside those of the release, each as `NAMESPACE/NAME`, at most 50 (default: none)",
      ),
    notes: z
      .boolean()
      .optional()
      .describe(
        "Include the chart's notes in the result, with secret values masked. Only for `upgrade` (default false)",
      ),
  })
  .meta({ id: "HelmSpec", description: "Spec of a command of kind `helm`: what to do with one release of a chart" });
export type HelmSpec = Infer<typeof helmSpecSchema>;
