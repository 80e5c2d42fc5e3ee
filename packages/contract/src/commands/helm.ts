import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import { type GitSource, gitSourceSchema } from "./git.ts";

/** The spec of the kind `helm`: what is to become of one release of a chart. */
export interface HelmSpec {
  /** The release's name in its namespace. */
  readonly release: string;
  /** The namespace of the release, and of objects that name none; `default` unless told. */
  readonly namespace?: string | undefined;
  /** `upgrade` (which installs what isn't there) unless told. */
  readonly action?: HelmAction | undefined;
  /** For `upgrade` alone. */
  readonly chart?: HelmChart | undefined;
  /** Texts in it may hold references to Secrets and ConfigMaps. Merged over `valuesFiles` and `valuesFrom`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Values of the revision that is deployed come first, and never leave the cluster for it. For `upgrade` alone. */
  readonly reuseValues?: boolean | undefined;
  /** Files of values beside the chart, relative to its folder or, of a git repository, to the root of that. */
  readonly valuesFiles?: readonly string[] | undefined;
  readonly valuesFrom?: readonly HelmValuesFrom[] | undefined;
  /** Until the objects are ready: 300 s unless told; false: hooks are waited for, objects aren't. */
  readonly wait?: HelmWait | false | undefined;
  /** A failed upgrade is rolled back; a failed installation is removed. */
  readonly atomic?: boolean | undefined;
  readonly createNamespace?: boolean | undefined;
  /** Fields that others own are taken from them. */
  readonly forceConflicts?: boolean | undefined;
  readonly skipHooks?: boolean | undefined;
  readonly skipCrds?: boolean | undefined;
  /** Revisions that are kept; 10 unless told. */
  readonly historyMax?: number | undefined;
  /** For `uninstall`: the revisions stay, so that a rollback can bring it back. */
  readonly keepHistory?: boolean | undefined;
  /** For `rollback`: the one before the last unless told. */
  readonly revision?: number | undefined;
  /** The notes of the chart are in the result, secret values masked. */
  readonly notes?: boolean | undefined;
}

export type HelmAction = "upgrade" | "uninstall" | "rollback" | "test";

export type HelmChart = HelmRepositoryChart | HelmOciChart | HelmGitChart | HelmInlineChart;

export interface HelmRepositoryChart {
  /** Its URL, `https://…` or `http://…`. */
  readonly repository: string;
  readonly name: string;
  readonly version: string;
  /** `sha256:…` of the archive. */
  readonly digest?: string | undefined;
  readonly credentials?: HelmCredentials | undefined;
}

export interface HelmOciChart {
  /** `oci://REGISTRY/PATH` */
  readonly oci: string;
  readonly version?: string | undefined;
  /** `sha256:…` of the manifest in the registry. */
  readonly digest?: string | undefined;
  readonly plainHttp?: boolean | undefined;
  readonly credentials?: HelmCredentials | undefined;
}

export interface HelmGitChart {
  readonly git: GitSource;
  /** The path of the chart's folder; the root of the repository unless told. */
  readonly path?: string | undefined;
}

export interface HelmInlineChart {
  /** Texts by path: `Chart.yaml`, `templates/…`. */
  readonly files: Readonly<Record<string, string>>;
}

/** A Secret with `username` and `password`, and if wanted `ca.crt`. */
export interface HelmCredentials {
  /** `NAMESPACE/NAME` */
  readonly secret: string;
}

export interface HelmValuesFrom {
  /** `NAMESPACE/NAME`; either this or a ConfigMap. */
  readonly secret?: string | undefined;
  readonly configMap?: string | undefined;
  /** `values.yaml` unless told. */
  readonly key?: string | undefined;
  /** It may be missing. */
  readonly optional?: boolean | undefined;
  /** The place in the values that the key's text goes to, as a whole: `database.password`. */
  readonly targetPath?: string | undefined;
}

export interface HelmWait {
  /** For each of helm's steps: hooks, objects, and what puts a failed upgrade right. */
  readonly timeoutSeconds?: number | undefined;
  /** Jobs have to end, too. */
  readonly jobs?: boolean | undefined;
}

/** As Helm has it. */
const releaseSchema: z.ZodType<string> = z
  .string()
  .max(53)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/, "must be a name of a release");
const namespaceSchema: z.ZodType<string> = z.string().max(63).refine(isDnsLabel, { message: "must be a DNS label" });
const objectSchema: z.ZodType<string> = z
  .string()
  .max(320)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, "must be NAMESPACE/NAME");
const digestSchema: z.ZodType<string> = z.string().regex(/^sha256:[0-9a-f]{64}$/, "must be sha256:…");
const versionSchema: z.ZodType<string> = z
  .string()
  .max(128)
  .regex(/^[0-9A-Za-z][0-9A-Za-z.+_-]*$/, "must be one version, and no range");
const urlSchema: z.ZodType<string> = z.string().min(1).max(2_048);
const pathSchema: z.ZodType<string> = z.string().min(1).max(512);
const credentials: z.ZodOptional<z.ZodType<HelmCredentials>> = z.strictObject({ secret: objectSchema }).optional();

const chartSchema: z.ZodType<HelmChart> = z.union([
  z.strictObject({
    repository: urlSchema,
    name: z
      .string()
      .max(253)
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "must be a name of a chart"),
    version: versionSchema,
    digest: digestSchema.optional(),
    credentials,
  }),
  z.strictObject({
    oci: urlSchema,
    version: versionSchema.optional(),
    digest: digestSchema.optional(),
    plainHttp: z.boolean().optional(),
    credentials,
  }),
  z.strictObject({ git: gitSourceSchema, path: pathSchema.optional() }),
  z.strictObject({ files: z.record(pathSchema, z.string()) }),
]);

const valuesFromSchema: z.ZodType<HelmValuesFrom> = z
  .strictObject({
    secret: objectSchema.optional(),
    configMap: objectSchema.optional(),
    key: z
      .string()
      .max(253)
      .regex(/^[-._a-zA-Z0-9]+$/, "must be a key of a Secret or ConfigMap")
      .optional(),
    optional: z.boolean().optional(),
    targetPath: z.string().min(1).max(512).optional(),
  })
  .refine(({ secret, configMap }) => (secret === undefined) !== (configMap === undefined), {
    message: "must name either a secret or a configMap",
  });

export const helmSpecSchema: z.ZodType<HelmSpec> = z
  .strictObject({
    release: releaseSchema,
    namespace: namespaceSchema.optional(),
    action: z.enum(["upgrade", "uninstall", "rollback", "test"]).optional(),
    chart: chartSchema.optional(),
    values: z.record(z.string(), z.unknown()).optional(),
    reuseValues: z.boolean().optional(),
    valuesFiles: z.array(pathSchema).max(32).readonly().optional(),
    valuesFrom: z.array(valuesFromSchema).max(64).readonly().optional(),
    wait: z
      .union([
        z.strictObject({ timeoutSeconds: z.int().min(1).max(3_600).optional(), jobs: z.boolean().optional() }),
        z.literal(false),
      ])
      .optional(),
    atomic: z.boolean().optional(),
    createNamespace: z.boolean().optional(),
    forceConflicts: z.boolean().optional(),
    skipHooks: z.boolean().optional(),
    skipCrds: z.boolean().optional(),
    historyMax: z.int().min(1).max(100).optional(),
    keepHistory: z.boolean().optional(),
    revision: z.int().min(1).optional(),
    notes: z.boolean().optional(),
  })
  .meta({ id: "HelmSpec" });
