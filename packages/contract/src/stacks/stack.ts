import { z } from "zod";
import { commandApprovalSchema, commandKindNames, commandTroubleSchema } from "../commands/index.ts";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { stackActions, stackRunStates, stackStepStates } from "./names.ts";

const resourceName = z.string().describe("Name of the resource in the stack");
const cluster = z.string().describe("Name of the cluster that the resource is in");
const kind = z.enum(commandKindNames).describe("Kind of the resource's commands");
const namespace = z.string().describe("Namespace that the resource's commands act in");
const target = z
  .string()
  .describe("What the commands change, as KIND/NAMESPACE/NAME; commands with the same target run one after another");
const next = z.string().optional().describe("Cursor of the next page; absent on the last page");

const stepCountsSchema = z
  .object({
    all: z.number().describe("Number of steps in the run"),
    waiting: z.number().describe("Number of steps whose turn hasn't come"),
    running: z.number().describe("Number of steps whose command is in progress"),
    succeeded: z.number().describe("Number of steps that succeeded"),
    failed: z.number().describe("Number of steps that failed"),
    skipped: z
      .number()
      .describe(
        "Number of steps that weren't started because an earlier step didn't succeed or its outputs aren't known",
      ),
    cancelled: z.number().describe("Number of steps that were cancelled"),
  })
  .meta({ id: "StackStepCounts", description: "Number of a run's steps by state" });

const runShape = {
  id: z.string().describe("ID of the run, beginning with `srun_`"),
  stack: z.string().describe("Name of the stack"),
  action: z
    .enum(stackActions)
    .describe(
      "`plan`: report what an apply would change. `apply`: apply the declared resources and destroy those that are no longer declared. `destroy`: destroy all resources of the stack",
    ),
  state: z
    .enum(stackRunStates)
    .describe(
      "`running`: steps start as their turns come. `cancelling`: no more steps start, and the run waits for commands in progress. `succeeded`, `failed` and `cancelled` are final",
    ),
  requester: z.string().describe("Name of the account that requested the run"),
  createdAt: timestampSchema.describe("RFC 3339 time of the request"),
  finishedAt: timestampSchema.optional().describe("RFC 3339 time of the end; absent while the run is in progress"),
  maxParallel: z
    .number()
    .optional()
    .describe("Maximum number of commands in progress at once; absent for the default, 200"),
  cancellation: z
    .enum(["graceful", "forced"])
    .optional()
    .describe("How the run's commands are being cancelled; absent unless someone cancelled it"),
  cancelledBy: z.string().optional().describe("Name of the account that cancelled the run; absent unless someone did"),
  version: z.number().describe("Number that grows with each change of the run or one of its steps"),
  counts: stepCountsSchema.describe("Number of steps by state"),
};

const stackRunSchema = z
  .object(runShape)
  .meta({ id: "StackRun", description: "One action on all resources of a stack" });
export type StackRun = Infer<typeof stackRunSchema>;

const stackStepSchema = z
  .object({
    place: z.number().describe("Number of the step in its run, from 1"),
    name: resourceName,
    action: z.enum(["apply", "destroy"]).describe("What the step does with the resource"),
    cluster,
    kind,
    namespace,
    target,
    after: z.array(z.number()).describe("Numbers of the steps that must succeed before this one"),
    state: z
      .enum(stackStepStates)
      .describe(
        "`waiting`: its turn hasn't come. `running`: its command is in progress. `skipped`: an earlier step didn't succeed or, in a plan, its outputs aren't known. `succeeded`, `failed`, `skipped` and `cancelled` are final",
      ),
    command: z.string().optional().describe("ID of the step's command; absent before it is created"),
    approval: commandApprovalSchema
      .optional()
      .describe("Approval that the step's command waits for; absent where it waits for none"),
    trouble: commandTroubleSchema.optional().describe("Why the step failed or was skipped; absent otherwise"),
  })
  .meta({ id: "StackStep", description: "A run's action on one resource" });
export type StackStep = Infer<typeof stackStepSchema>;

export const stackRunDetailSchema = z
  .object({ ...runShape, steps: z.array(stackStepSchema).describe("Steps of the run, by place") })
  .meta({ id: "StackRunDetail", description: "A run of a stack with its steps" });
export type StackRunDetail = Infer<typeof stackRunDetailSchema>;

const stackResourceSchema = z
  .object({
    name: resourceName,
    cluster,
    kind,
    namespace,
    target,
    action: z.enum(["apply", "destroy"]).describe("What the latest command did with the resource"),
    outcome: z.enum(["running", "succeeded", "failed", "cancelled"]).describe("Outcome of the latest command"),
    command: z.string().describe("ID of the latest command"),
    askedAt: timestampSchema.describe("RFC 3339 time at which the latest command was created"),
    dependsOn: z.array(z.string()).describe("Names of the resources that it was applied after"),
  })
  .meta({ id: "StackResource", description: "A resource as the hub knows it: its latest command and the outcome" });
export type StackResource = Infer<typeof stackResourceSchema>;

const stackShape = {
  name: z.string().describe("Name of the stack, a DNS label"),
  owner: z.string().describe("Name of the account that requested the stack's first run"),
  createdAt: timestampSchema.describe("RFC 3339 time of the first run's request"),
  run: stackRunSchema.optional().describe("The newest run; absent where the hub keeps none"),
};

export const stackDetailSchema = z
  .object({ ...stackShape, resources: z.array(stackResourceSchema).describe("Resources that the hub knows, by name") })
  .meta({ id: "StackDetail", description: "A stack with its resources" });
export type StackDetail = Infer<typeof stackDetailSchema>;

const stackSchema = z
  .object({ ...stackShape, resources: z.number().describe("Number of resources that may exist in clusters") })
  .meta({ id: "Stack", description: "Declared resources that the hub applies in the order of their dependencies" });
export type Stack = Infer<typeof stackSchema>;

export const stackListSchema = z
  .object({ items: z.array(stackSchema).describe("Stacks, by name"), next })
  .meta({ id: "StackList", description: "A page of stacks" });
export type StackList = Infer<typeof stackListSchema>;

export const stackRunListSchema = z
  .object({ items: z.array(stackRunSchema).describe("Runs of the stack, newest first"), next })
  .meta({ id: "StackRunList", description: "A page of a stack's runs" });
export type StackRunList = Infer<typeof stackRunListSchema>;
