import { z } from "zod";
import {
  type CommandApproval,
  type CommandKindName,
  type CommandTrouble,
  commandApprovalSchema,
  commandKindNames,
  commandTroubleSchema,
} from "../commands/index.ts";
import { timestampSchema } from "../primitives.ts";
import {
  type StackAction,
  type StackRunStateName,
  type StackStepState,
  stackActions,
  stackRunStates,
  stackStepStates,
} from "./names.ts";

export interface StackRun {
  readonly id: string;
  readonly stack: string;
  readonly action: StackAction;
  readonly state: StackRunStateName;
  readonly requester: string;
  readonly createdAt: string;
  readonly finishedAt?: string | undefined;
  readonly maxParallel?: number | undefined;
  /** How its commands are cancelled. */
  readonly cancellation?: "graceful" | "forced" | undefined;
  readonly cancelledBy?: string | undefined;
  /** Rises with each change of it or of one of its steps. */
  readonly version: number;
  /** How many steps there are, and in which state they are. */
  readonly counts: { readonly all: number } & Readonly<Record<StackStepState, number>>;
}

export interface StackStep {
  /** From 1 on. */
  readonly place: number;
  /** The resource's name. */
  readonly name: string;
  readonly action: "apply" | "destroy";
  readonly cluster: string;
  readonly kind: CommandKindName;
  readonly namespace: string;
  readonly target: string;
  /** Places of steps that must succeed before it. */
  readonly after: readonly number[];
  readonly state: StackStepState;
  readonly command?: string | undefined;
  /** While its command waits for people to approve its plan. */
  readonly approval?: CommandApproval | undefined;
  readonly trouble?: CommandTrouble | undefined;
}

export interface StackRunDetail extends StackRun {
  readonly steps: readonly StackStep[];
}

/** A resource as the hub knows it: the last request, and its outcome. */
export interface StackResource {
  readonly name: string;
  readonly cluster: string;
  readonly kind: CommandKindName;
  readonly namespace: string;
  readonly target: string;
  readonly action: "apply" | "destroy";
  readonly outcome: "running" | "succeeded" | "failed" | "cancelled";
  readonly command: string;
  readonly askedAt: string;
  /** Names of resources that it was applied after. */
  readonly dependsOn: readonly string[];
}

export interface Stack {
  readonly name: string;
  /** The person who asked for its first run. */
  readonly owner: string;
  readonly createdAt: string;
  /** How many resources may be there. */
  readonly resources: number;
  /** The newest one. */
  readonly run?: StackRun | undefined;
}

export interface StackDetail extends Omit<Stack, "resources"> {
  readonly resources: readonly StackResource[];
}

export interface StackList {
  readonly items: readonly Stack[];
  readonly next?: string | undefined;
}

export interface StackRunList {
  readonly items: readonly StackRun[];
  readonly next?: string | undefined;
}

const kindSchema = z.enum(commandKindNames);

const runShape = {
  id: z.string(),
  stack: z.string(),
  action: z.enum(stackActions),
  state: z.enum(stackRunStates),
  requester: z.string(),
  createdAt: timestampSchema,
  finishedAt: timestampSchema.optional(),
  maxParallel: z.number().optional(),
  cancellation: z.enum(["graceful", "forced"]).optional(),
  cancelledBy: z.string().optional(),
  version: z.number(),
  counts: z
    .object({
      all: z.number(),
      ...(Object.fromEntries(stackStepStates.map((state) => [state, z.number()])) as Record<
        StackStepState,
        z.ZodNumber
      >),
    })
    .meta({ id: "StackStepCounts" }),
};

const stackRunSchema: z.ZodType<StackRun> = z.object(runShape).meta({ id: "StackRun" });

const stackStepSchema: z.ZodType<StackStep> = z
  .object({
    place: z.number(),
    name: z.string(),
    action: z.enum(["apply", "destroy"]),
    cluster: z.string(),
    kind: kindSchema,
    namespace: z.string(),
    target: z.string(),
    after: z.array(z.number()),
    state: z.enum(stackStepStates),
    command: z.string().optional(),
    approval: commandApprovalSchema.optional(),
    trouble: commandTroubleSchema.optional(),
  })
  .meta({ id: "StackStep" });

export const stackRunDetailSchema: z.ZodType<StackRunDetail> = z
  .object({ ...runShape, steps: z.array(stackStepSchema) })
  .meta({ id: "StackRunDetail" });

const stackResourceSchema: z.ZodType<StackResource> = z
  .object({
    name: z.string(),
    cluster: z.string(),
    kind: kindSchema,
    namespace: z.string(),
    target: z.string(),
    action: z.enum(["apply", "destroy"]),
    outcome: z.enum(["running", "succeeded", "failed", "cancelled"]),
    command: z.string(),
    askedAt: timestampSchema,
    dependsOn: z.array(z.string()),
  })
  .meta({ id: "StackResource" });

const stackShape = {
  name: z.string(),
  owner: z.string(),
  createdAt: timestampSchema,
  run: stackRunSchema.optional(),
};

export const stackDetailSchema: z.ZodType<StackDetail> = z
  .object({ ...stackShape, resources: z.array(stackResourceSchema) })
  .meta({ id: "StackDetail" });

export const stackListSchema: z.ZodType<StackList> = z
  .object({
    items: z.array(z.object({ ...stackShape, resources: z.number() }).meta({ id: "Stack" })),
    next: z.string().optional(),
  })
  .meta({ id: "StackList" });

export const stackRunListSchema: z.ZodType<StackRunList> = z
  .object({ items: z.array(stackRunSchema), next: z.string().optional() })
  .meta({ id: "StackRunList" });
