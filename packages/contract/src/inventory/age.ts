import { z } from "zod";
import { type ClusterState, clusterStateSchema } from "../cluster.ts";
import { timestampSchema } from "../primitives.ts";

/** How far a cluster's agent is with one kind. An unavailable kind is unknown: what is shown of it is what it was. */
export type KindState = "listing" | "comparing" | "synced" | "unavailable";

export const kindStateSchema: z.ZodType<KindState> = z.enum(["listing", "comparing", "synced", "unavailable"]);

/** A kind of a cluster that isn't all there. */
export interface KindTrouble {
  /** `pods`, `deployments.apps`. */
  readonly kind: string;
  readonly state: KindState;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** A kind that was asked for by name and that isn't in the answer as far as one cluster goes. */
export interface MissingKind {
  readonly kind: string;
  /** `forbidden`: the caller may see none of it; `not-observed`: the hub's copy of the cluster doesn't have it. */
  readonly reason: "forbidden" | "not-observed";
}

/** How old an answer is as far as one cluster goes. Every answer over clusters has one for each cluster asked. */
export interface DataAge {
  readonly cluster: string;
  readonly state: ClusterState;
  /** When the data was last known to be what the cluster has; absent when it never was. */
  readonly verifiedAt?: string | undefined;
  /** The same as milliseconds before the answer. */
  readonly ageMs?: number | undefined;
  /** The kinds that aren't in step, of those that were asked for. */
  readonly troubles?: KindTrouble[] | undefined;
  /** Absent when nothing is missing. */
  readonly missing?: MissingKind[] | undefined;
}

const kindTroubleSchema: z.ZodType<KindTrouble> = z
  .object({
    kind: z.string(),
    state: kindStateSchema,
    code: z.string().optional(),
    message: z.string().optional(),
  })
  .meta({ id: "KindTrouble" });

const missingKindSchema: z.ZodType<MissingKind> = z
  .object({ kind: z.string(), reason: z.enum(["forbidden", "not-observed"]) })
  .meta({ id: "MissingKind" });

export const dataAgeSchema: z.ZodType<DataAge> = z
  .object({
    cluster: z.string(),
    state: clusterStateSchema,
    verifiedAt: timestampSchema.optional(),
    ageMs: z.number().optional(),
    troubles: z.array(kindTroubleSchema).optional(),
    missing: z.array(missingKindSchema).optional(),
  })
  .meta({ id: "DataAge" });
