import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import type { Infer } from "../infer.ts";
import { helmSpecSchema } from "./helm.ts";
import { manifestsSpecSchema } from "./manifests.ts";
import { type CommandKindName, commandKindNames } from "./names.ts";
import { tofuSpecSchema } from "./tofu.ts";
import { waitSpecSchema } from "./wait.ts";

/** A spec that isn't known before earlier steps have run. */
export type FlowTemplate = Readonly<Record<string, unknown>>;

/** The kinds that steps may have. */
const stepSpecSchemas = {
  manifests: filledLater(manifestsSpecSchema).describe("Spec of a `manifests` step"),
  helm: filledLater(helmSpecSchema).describe("Spec of a `helm` step"),
  tofu: filledLater(tofuSpecSchema).describe("Spec of a `tofu` step"),
  wait: filledLater(waitSpecSchema).describe("Spec of a `wait` step, which ends when objects are as awaited"),
};

const dnsLabelSchema = z.string().max(63).refine(isDnsLabel, { message: "must be a DNS label" });

const flowStepSchema = z
  .strictObject({
    id: z
      .string()
      .regex(
        /^[a-z](?:[-a-z0-9]{0,38}[a-z0-9])?$/,
        "must be of a-z, 0-9 and -, begin by a letter, 40 characters at most",
      )
      .describe("ID of the step, unique in the flow: a-z, 0-9 and `-`, at most 40 characters"),
    if: z
      .string()
      .max(1_000)
      .optional()
      .describe("Expression: the step runs if it is true (default `success()`: no earlier step has failed)"),
    continueOnError: z.boolean().optional().describe("Don't fail the flow when this step fails (default false)"),
    always: z
      .boolean()
      .optional()
      .describe("Run the step whatever the outcome of earlier steps, and after a cancel as well (default false)"),
    retry: z
      .strictObject({
        attempts: z.int().min(1).max(10).describe("Maximum number of attempts, 1 to 10"),
        delaySeconds: z
          .number()
          .min(0)
          .max(3_600)
          .optional()
          .describe("Time to wait between two attempts, in seconds (default 0)"),
      })
      .optional()
      .describe("Retry the step when it fails (default: one attempt)"),
    timeoutSeconds: z
      .number()
      .min(1)
      .max(86_400)
      .optional()
      .describe("Timeout in seconds for all attempts together (default 3600)"),
    ...stepSpecSchemas,
  })
  .refine((step) => kindsOf(step).length === 1, {
    message: `must have one of ${Object.keys(stepSpecSchemas).join(", ")}`,
  })
  .describe(
    `A step of a flow, with a spec of exactly one kind. Strings of the spec can hold \${steps.ID.outputs.NAME} of earlier steps`,
  );
export type FlowStep = Infer<typeof flowStepSchema>;

export const flowSpecSchema = z
  .strictObject({
    name: dnsLabelSchema.describe(
      "DNS label of the flow. Flows with the same name and namespace run one after another",
    ),
    namespace: dnsLabelSchema.optional().describe("Namespace of steps that name none (default `default`)"),
    steps: z
      .array(flowStepSchema)
      .min(1)
      .max(50)
      .refine((steps) => new Set(steps.map(({ id }) => id)).size === steps.length, {
        message: "must have an id of their own each",
      })
      .describe("Steps of the flow, in their order; 1 to 50"),
  })
  .meta({ id: "FlowSpec", description: "Spec of a command of kind `flow`: steps of other kinds, one after another" });
export type FlowSpec = Infer<typeof flowSpecSchema>;

/** The kinds of a flow's steps. A request for the flow asks for each of them. */
export function stepKindsOf({ steps }: FlowSpec): readonly CommandKindName[] {
  const kinds = new Set(steps.flatMap(kindsOf));
  return commandKindNames.filter((kind) => kinds.has(kind));
}

function kindsOf(step: object): readonly string[] {
  return Object.keys(stepSpecSchemas).filter((kind) => (step as FlowTemplate)[kind] !== undefined);
}

/** A spec that refers to earlier steps is checked by the agent when they have run. */
function filledLater<Spec>(schema: z.ZodType<Spec>): z.ZodOptional<z.ZodType<Spec | FlowTemplate>> {
  return z
    .record(z.string(), z.unknown())
    .superRefine((spec, context) => {
      if (refersToSteps(spec)) return;
      for (const { message, path } of schema.safeParse(spec).error?.issues ?? [])
        context.addIssue({ code: "custom", message, path });
    })
    .optional();
}

function refersToSteps(spec: unknown): boolean {
  const left: unknown[] = [spec];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string" && value.includes("${steps.")) return true;
    if (typeof value === "object" && value !== null) for (const member of Object.values(value)) left.push(member);
  }
  return false;
}
