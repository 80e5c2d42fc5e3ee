// Whether clusters are fit to run workloads: what their agents found out, in one answer over all of them.
import { z } from "zod";
import { type DataAge, dataAgeSchema } from "../inventory/index.ts";
import { optionalTextSchema } from "../primitives.ts";

/** The findings on a cluster. Texts are the agent's own: a newer one may have states that this client doesn't know. */
export interface Findings {
  readonly fitness: string;
  readonly clusterType: string;
  /** How many checks passed and so on. */
  readonly verdicts: Readonly<Record<"pass" | "warn" | "fail" | "unknown", number>>;
  readonly addons: readonly AddonFinding[];
  readonly features: readonly { readonly id: string; readonly state: string }[];
  /** The resources that the agent couldn't look at. */
  readonly hidden: readonly { readonly resource: string; readonly why: string }[];
  readonly examinedWith: ExaminedWith;
}

export interface AddonFinding {
  readonly id: string;
  readonly need: string;
  readonly state: string;
  /** Absent where nobody could tell. */
  readonly version?: string | undefined;
  /** The version of the chart that it came by. */
  readonly chartVersion?: string | undefined;
}

/** Verdicts that were made with something else than what holds now say nothing. */
export interface ExaminedWith {
  readonly profile: string;
  readonly generation: number;
  /** The version of the agent, whose catalogue it is. */
  readonly catalogue: string;
}

export interface ClusterFitness {
  readonly cluster: string;
  readonly age: DataAge;
  /** Absent where the hub has no examination, or none that the caller may read. */
  readonly found?: Findings | undefined;
}

export interface FitnessList {
  /** By the names of clusters. */
  readonly items: ClusterFitness[];
  /** Absent on the last page. */
  readonly next?: string | undefined;
}

export interface FitnessQuery {
  /** Names of clusters; without this and `clusterSelector` all that the caller may see. */
  readonly cluster?: string | undefined;
  /** Over the labels of clusters, in Kubernetes' syntax. */
  readonly clusterSelector?: string | undefined;
  /** Clusters on a page: at most 2,000, as many unless told. */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
}

export const mostClustersOnPage = 2_000;

export const fitnessQuerySchema: z.ZodType<FitnessQuery> = z.strictObject({
  cluster: optionalTextSchema(65_536),
  clusterSelector: optionalTextSchema(2_048),
  limit: z.coerce.number().int().min(1).max(mostClustersOnPage).optional(),
  cursor: optionalTextSchema(256),
});

export const findingsSchema: z.ZodType<Findings> = z
  .object({
    fitness: z.string(),
    clusterType: z.string(),
    verdicts: z.object({ pass: z.int(), warn: z.int(), fail: z.int(), unknown: z.int() }),
    addons: z.array(
      z.object({
        id: z.string(),
        need: z.string(),
        state: z.string(),
        version: z.string().optional(),
        chartVersion: z.string().optional(),
      }),
    ),
    features: z.array(z.object({ id: z.string(), state: z.string() })),
    hidden: z.array(z.object({ resource: z.string(), why: z.string() })),
    examinedWith: z.object({ profile: z.string(), generation: z.int(), catalogue: z.string() }),
  })
  .meta({ id: "Findings" });

export const fitnessListSchema: z.ZodType<FitnessList> = z
  .object({
    items: z.array(z.object({ cluster: z.string(), age: dataAgeSchema, found: findingsSchema.optional() })),
    next: z.string().optional(),
  })
  .meta({ id: "FitnessList" });
