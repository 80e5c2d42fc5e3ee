import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import { type ApprovalWish, createCommandRequestSchema, type KindAndSpec } from "../commands/index.ts";
import { idempotencyKeySchema } from "../primitives.ts";
import { type StackAction, stackActions, stackLimits } from "./names.ts";

/** A resource is a command's kind and spec, in the cluster that it names. */
export type DeclaredResource = KindAndSpec & {
  readonly cluster: string;
  /** Names of resources that come before it. Those whose outputs its spec uses come before it anyway. */
  readonly dependsOn?: readonly string[] | undefined;
  /** Its commands are carried out when people have approved their plans, also those that destroy it. */
  readonly approvals?: ApprovalWish | undefined;
};

export type DeclaredResources = Readonly<Record<string, DeclaredResource>>;

export interface CreateStackRunRequest {
  readonly action: StackAction;
  /** All resources of the stack, by name; for `plan` and `apply`, and for those alone. */
  readonly resources?: DeclaredResources | undefined;
  /** How many commands are under way at once, at most. */
  readonly maxParallel?: number | undefined;
  /** Asked again under the same key by the same caller, it is the same run. */
  readonly idempotencyKey?: string | undefined;
}

export const stackNameSchema: z.ZodType<string> = z.string().refine(isDnsLabel, { message: "must be a DNS label" });

/**
 * Takes the options of commands from their own schema, so that there is only one list of them. A resource is declared
 * by itself, and not by a template.
 */
const commandOptions = (
  createCommandRequestSchema as unknown as z.ZodDiscriminatedUnion<readonly [CommandOption, ...CommandOption[]]>
).options;
type CommandOption = z.ZodObject<{
  kind: z.ZodLiteral<string>;
  spec: z.ZodType;
  cluster: z.ZodType;
  approvals: z.ZodType;
}>;

const [first, ...others] = commandOptions;
const isTemplate = ({ shape }: CommandOption): boolean => shape.kind.value === "template";
const toOption = (one: CommandOption) =>
  one
    .pick({ kind: true, spec: true, cluster: true, approvals: true })
    .extend({ dependsOn: z.array(stackNameSchema).max(stackLimits.resources).optional() });

const resourceSchema: z.ZodType<DeclaredResource> = z
  .discriminatedUnion("kind", [toOption(first), ...others.filter((one) => !isTemplate(one)).map(toOption)])
  .meta({ id: "DeclaredResource" }) as unknown as z.ZodType<DeclaredResource>;

export const createStackRunRequestSchema: z.ZodType<CreateStackRunRequest> = z
  .strictObject({
    action: z.enum(stackActions),
    resources: z
      .record(stackNameSchema, resourceSchema)
      .refine((resources) => Object.keys(resources).length <= stackLimits.resources, {
        message: `must be ${stackLimits.resources} at most`,
      })
      .optional(),
    maxParallel: z.int().min(1).max(stackLimits.steps).optional(),
    idempotencyKey: idempotencyKeySchema.optional(),
  })
  .refine(({ action, resources }) => (action === "destroy") === (resources === undefined), {
    message: "must have resources for plan and apply, and none for destroy",
  })
  .meta({ id: "CreateStackRunRequest" });
