import { z } from "zod";
import { clusterNameSchema } from "../primitives.ts";
import { type ManifestsSpec, manifestsSpecSchema } from "./manifests.ts";
import { commandLimits } from "./names.ts";

/** How long and how urgently it is wanted. */
interface CommandWishes {
  /** It expires unless an agent has claimed it by then; a day unless told. */
  readonly deadlineSeconds?: number | undefined;
  /** 0 to 9; 5 unless told. Those of a higher one go first, and all of them rise while they wait. */
  readonly priority?: number | undefined;
  /** Asked again under the same key by the same caller, it is the same command. */
  readonly idempotencyKey?: string | undefined;
}

export interface CreateCommandRequest extends CommandWishes {
  readonly cluster: string;
  readonly kind: "manifests";
  readonly spec: ManifestsSpec;
  /** Says what would change, and changes nothing. */
  readonly dryRun?: boolean | undefined;
}

export interface RetryCommandRequest extends CommandWishes {}

const wishes = {
  deadlineSeconds: z.int().min(1).max(commandLimits.maxDeadlineSeconds).optional(),
  priority: z.int().min(0).max(commandLimits.maxPriority).optional(),
  idempotencyKey: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")
    .optional(),
};

export const createCommandRequestSchema: z.ZodType<CreateCommandRequest> = z
  .strictObject({
    cluster: clusterNameSchema,
    kind: z.literal("manifests"),
    spec: manifestsSpecSchema,
    dryRun: z.boolean().optional(),
    ...wishes,
  })
  .meta({ id: "CreateCommandRequest" });

export const retryCommandRequestSchema: z.ZodType<RetryCommandRequest> = z
  .strictObject(wishes)
  .meta({ id: "RetryCommandRequest" });
