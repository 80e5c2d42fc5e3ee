import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import { type HelmSpec, helmSpecSchema } from "./helm.ts";
import { type ManifestsSpec, manifestsSpecSchema } from "./manifests.ts";
import { type CommandKindName, commandKindNames } from "./names.ts";
import { type TofuSpec, tofuSpecSchema } from "./tofu.ts";
import { type WaitSpec, waitSpecSchema } from "./wait.ts";

/** The spec of the kind `flow`: steps of other kinds, one after another. */
export interface FlowSpec {
  readonly name: string;
  /** The namespace of steps that name none. */
  readonly namespace?: string | undefined;
  /** 50 at most. */
  readonly steps: readonly FlowStep[];
}

/** A step has one of these. Their strings may hold `${steps.ID.outputs.NAME}` for earlier steps. */
export interface FlowStepSpecs {
  readonly manifests?: ManifestsSpec | FlowTemplate | undefined;
  readonly helm?: HelmSpec | FlowTemplate | undefined;
  readonly tofu?: TofuSpec | FlowTemplate | undefined;
  readonly wait?: WaitSpec | FlowTemplate | undefined;
}

/** A spec that isn't known before earlier steps have run. */
export type FlowTemplate = Readonly<Record<string, unknown>>;

export interface FlowStep extends FlowStepSpecs {
  readonly id: string;
  /** An expression; without it a step runs when none before it has failed. */
  readonly if?: string | undefined;
  /** Its failure isn't the flow's. */
  readonly continueOnError?: boolean | undefined;
  /** It runs whatever became of those before it, and after a cancel, too. */
  readonly always?: boolean | undefined;
  readonly retry?: { readonly attempts: number; readonly delaySeconds?: number | undefined } | undefined;
  /** All its attempts together; an hour unless told. */
  readonly timeoutSeconds?: number | undefined;
}

/** The kinds that steps may have. */
const stepSpecSchemas: { readonly [Kind in keyof FlowStepSpecs]-?: z.ZodType<FlowStepSpecs[Kind]> } = {
  manifests: filledLater(manifestsSpecSchema),
  helm: filledLater(helmSpecSchema),
  tofu: filledLater(tofuSpecSchema),
  wait: filledLater(waitSpecSchema),
};

const dnsLabelSchema: z.ZodType<string> = z.string().max(63).refine(isDnsLabel, { message: "must be a DNS label" });

const flowStepSchema: z.ZodType<FlowStep> = z
  .strictObject({
    id: z
      .string()
      .regex(
        /^[a-z](?:[-a-z0-9]{0,38}[a-z0-9])?$/,
        "must be of a-z, 0-9 and -, begin by a letter, 40 characters at most",
      ),
    if: z.string().max(1_000).optional(),
    continueOnError: z.boolean().optional(),
    always: z.boolean().optional(),
    retry: z
      .strictObject({ attempts: z.int().min(1).max(10), delaySeconds: z.number().min(0).max(3_600).optional() })
      .optional(),
    timeoutSeconds: z.number().min(1).max(86_400).optional(),
    ...stepSpecSchemas,
  })
  .refine((step) => kindsOf(step).length === 1, {
    message: `must have one of ${Object.keys(stepSpecSchemas).join(", ")}`,
  });

export const flowSpecSchema: z.ZodType<FlowSpec> = z
  .strictObject({
    name: dnsLabelSchema,
    namespace: dnsLabelSchema.optional(),
    steps: z
      .array(flowStepSchema)
      .min(1)
      .max(50)
      .refine((steps) => new Set(steps.map(({ id }) => id)).size === steps.length, {
        message: "must have an id of their own each",
      }),
  })
  .meta({ id: "FlowSpec" });

/** The kinds of a flow's steps. A request for the flow asks for each of them. */
export function stepKindsOf({ steps }: FlowSpec): readonly CommandKindName[] {
  const kinds = new Set(steps.flatMap(kindsOf));
  return commandKindNames.filter((kind) => kinds.has(kind));
}

function kindsOf(step: object): readonly string[] {
  return Object.keys(stepSpecSchemas).filter((kind) => (step as FlowTemplate)[kind] !== undefined);
}

/** A spec that refers to earlier steps is checked by the agent when they have run. */
function filledLater<Spec>(schema: z.ZodType<Spec>): z.ZodType<Spec | FlowTemplate | undefined> {
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
