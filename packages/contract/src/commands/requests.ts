import { z } from "zod";
import { clusterNameSchema } from "../primitives.ts";
import { commandLimits } from "./names.ts";
import { commandSpecs, type KindAndSpec } from "./specs.ts";

/** How long and how urgently it is wanted. */
interface CommandWishes {
  /** It expires unless an agent has claimed it by then; a day unless told. */
  readonly deadlineSeconds?: number | undefined;
  /** 0 to 9; 5 unless told. Those of a higher one go first, and all of them rise while they wait. */
  readonly priority?: number | undefined;
  /** Asked again under the same key by the same caller, it is the same command. */
  readonly idempotencyKey?: string | undefined;
}

interface CreateCommandFields extends CommandWishes {
  readonly cluster: string;
  /** Says what would change, and changes nothing. */
  readonly dryRun?: boolean | undefined;
}

export type CreateCommandRequest = CreateCommandFields & KindAndSpec;

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

const createFields = { cluster: clusterNameSchema, dryRun: z.boolean().optional(), ...wishes };

export const createCommandRequestSchema: z.ZodType<CreateCommandRequest> = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("manifests"), spec: commandSpecs.manifests.schema, ...createFields }),
    z.strictObject({ kind: z.literal("helm"), spec: commandSpecs.helm.schema, ...createFields }),
  ])
  .meta({ id: "CreateCommandRequest" });

export const retryCommandRequestSchema: z.ZodType<RetryCommandRequest> = z
  .strictObject(wishes)
  .meta({ id: "RetryCommandRequest" });
