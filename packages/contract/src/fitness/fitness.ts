// Whether clusters are fit to run workloads: what their agents found out, in one answer over all of them.
import { z } from "zod";
import type { Infer } from "../infer.ts";
import { dataAgeSchema } from "../inventory/index.ts";
import { optionalTextSchema } from "../primitives.ts";

export const mostClustersOnPage = 2_000;

export const fitnessQuerySchema = z.strictObject({
  cluster: optionalTextSchema(65_536).describe(
    "Only these clusters, separated by commas (default: all that the caller may see)",
  ),
  clusterSelector: optionalTextSchema(2_048).describe(
    "Only clusters with matching labels, in the syntax of Kubernetes label selectors",
  ),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(mostClustersOnPage)
    .optional()
    .describe(`Maximum number of clusters on a page (default and maximum ${mostClustersOnPage})`),
  cursor: optionalTextSchema(256).describe("`next` of the previous page"),
});
export type FitnessQuery = Infer<typeof fitnessQuerySchema>;

const verdictCountsSchema = z.object({
  pass: z.int().describe("Number of checks that passed"),
  warn: z.int().describe("Number of checks that passed with a warning"),
  fail: z.int().describe("Number of checks that failed"),
  unknown: z.int().describe("Number of checks that couldn't be judged"),
});

// Texts are the agent's own: a newer one may have states that this client doesn't know.
const addonFindingSchema = z.object({
  id: z.string().describe("ID of the addon, such as `cert-manager`"),
  need: z.string().describe("Whether a cluster of this type needs the addon: `essential`, `optional` or `unsupported`"),
  state: z.string().describe("State of the addon in the cluster, such as `absent`, `healthy` or `degraded`"),
  version: z.string().optional().describe("Installed version of the addon; absent where it couldn't be determined"),
  chartVersion: z
    .string()
    .optional()
    .describe("Version of the Helm chart that installed the addon; absent where no chart is known"),
});
export type AddonFinding = Infer<typeof addonFindingSchema>;

const featureFindingSchema = z.object({
  id: z.string().describe("ID of the feature"),
  state: z
    .string()
    .describe("Whether the cluster supports the feature: `available`, `degraded`, `blocked` or `unknown`"),
});

const hiddenResourceSchema = z.object({
  resource: z.string().describe("Resource that the agent couldn't read, such as `nodes`"),
  why: z.string().describe("Why the agent couldn't read it"),
});

const examinedWithSchema = z.object({
  profile: z.string().describe("Name of the fitness profile"),
  generation: z
    .int()
    .describe(
      "Generation of the choice of profile; the findings are out of date when the cluster's current one differs",
    ),
  catalogue: z.string().describe("Version of the agent, whose catalogue of addons was used"),
});
export type ExaminedWith = Infer<typeof examinedWithSchema>;

export const findingsSchema = z
  .object({
    fitness: z
      .string()
      .describe(
        "Overall verdict on the cluster: `fit`, `unfit` or `unjudged` (nothing required fails, and some of it couldn't be checked)",
      ),
    clusterType: z.string().describe("Type of the cluster, such as `eks`, `gke`, `openshift` or `generic`"),
    verdicts: verdictCountsSchema.describe("Number of checks by verdict"),
    addons: z.array(addonFindingSchema).describe("Addons of the catalogue and their state"),
    features: z.array(featureFindingSchema).describe("Features that the cluster can be used for"),
    hidden: z.array(hiddenResourceSchema).describe("Resources that the agent couldn't read"),
    examinedWith: examinedWithSchema.describe("Profile and catalogue that the examination used"),
  })
  .meta({ id: "Findings", description: "Results of a cluster's latest examination" });
export type Findings = Infer<typeof findingsSchema>;

const clusterFitnessSchema = z.object({
  cluster: z.string().describe("Name of the cluster"),
  age: dataAgeSchema.describe("How old the findings are"),
  found: findingsSchema
    .optional()
    .describe("Findings of the latest examination; absent where the hub has none that the caller may read"),
});
export type ClusterFitness = Infer<typeof clusterFitnessSchema>;

export const fitnessListSchema = z
  .object({
    items: z.array(clusterFitnessSchema).describe("Clusters by name"),
    next: z.string().optional().describe("Cursor of the next page; absent on the last page"),
  })
  .meta({ id: "FitnessList", description: "A page of the fitness of clusters" });
export type FitnessList = Infer<typeof fitnessListSchema>;
