// The shape of a profile, once for checking files and once for editors. Lists and texts are bounded, since a profile may
// come from anybody.
import { z } from "zod";
import { builtInProfiles } from "./built-in.ts";
import type { Profile } from "./profile.ts";

const text = z.string().min(1).max(253);
const texts = z.array(text).max(200);
const labels = z.record(text, z.string().max(253)).refine((map) => Object.keys(map).length <= 64, "at most 64 labels");
const count = z.int().min(1).max(1_000_000_000);
const days = z.int().min(1).max(36_500);
const name = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "lower-case letters, digits and dashes")
  .refine((value) => !builtInProfiles.some((profile) => profile.name === value), "a name that no built-in profile has");

const taint = z.strictObject({
  key: text,
  value: z.string().max(63).exactOptional(),
  effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]).exactOptional(),
});
const pool = z.strictObject({
  architectures: texts,
  capacityTypes: z.array(z.enum(["spot", "on-demand"])).max(2),
  taints: z.array(taint).max(32),
  labels,
});

const sections = {
  argocd: z.strictObject({ project: text, applicationNamespaces: texts }),
  kubeStateMetrics: z.strictObject({ podLabels: texts, nodeLabels: texts }),
  prometheus: z.strictObject({ monitorLabels: labels, retentionDays: days }),
  logs: z.strictObject({ streamFields: texts, retentionDays: days }),
  argoWorkflows: z.strictObject({
    activeDeadlineSeconds: count,
    secondsAfterCompletion: count,
    parallelism: count,
    namespaceParallelism: count,
  }),
  nodePools: z.strictObject({
    critical: pool.exactOptional(),
    default: pool.exactOptional(),
    gpu: pool.exactOptional(),
  }),
  storage: z.strictObject({ wantsEncryption: z.boolean(), ebsType: text }),
  baseDomains: texts,
};

/** A whole profile, after what it extends was filled in. */
export const profileSchema: z.ZodType<Profile> = z.strictObject({ name, ...sections });

const poolInFile = pool.partial().optional();

/** As people write it: with `extends`, anything may be left out. */
const fileSchema = z.strictObject({
  name,
  extends: z.enum(builtInProfiles.map((profile) => profile.name)).optional(),
  argocd: sections.argocd.partial().optional(),
  kubeStateMetrics: sections.kubeStateMetrics.partial().optional(),
  prometheus: sections.prometheus.partial().optional(),
  logs: sections.logs.partial().optional(),
  argoWorkflows: sections.argoWorkflows.partial().optional(),
  nodePools: z.strictObject({ critical: poolInFile, default: poolInFile, gpu: poolInFile }).optional(),
  storage: sections.storage.partial().optional(),
  baseDomains: texts.optional(),
});

/** For editors that complete and underline YAML (JSON Schema 2020-12). */
export const profileJsonSchema: Readonly<Record<string, unknown>> = {
  ...z.toJSONSchema(fileSchema),
  title: "A profile: what a fit cluster is asked for",
};
