import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import { type ApprovalWish, createCommandRequestSchema, type KindAndSpec } from "../commands/index.ts";
import type { Infer } from "../infer.ts";
import { idempotencyKeySchema } from "../primitives.ts";
import { stackActions, stackLimits } from "./names.ts";

export const stackNameSchema = z.string().refine(isDnsLabel, { message: "must be a DNS label" });

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

const order = {
  dependsOn: z
    .array(stackNameSchema)
    .max(stackLimits.resources)
    .optional()
    .describe(
      "Names of resources to apply before this one (default: those whose outputs its spec refers to, which always come first)",
    ),
};

const [first, ...others] = commandOptions;
const isTemplate = ({ shape }: CommandOption): boolean => shape.kind.value === "template";
const toOption = (one: CommandOption) =>
  one.pick({ kind: true, spec: true, cluster: true, approvals: true }).extend(order);

const resourceSchema: z.ZodType<DeclaredResource> = z
  .discriminatedUnion("kind", [toOption(first), ...others.filter((one) => !isTemplate(one)).map(toOption)])
  .meta({
    id: "DeclaredResource",
    description: "A resource of a stack: kind and spec of a command, in the cluster that it names",
  }) as unknown as z.ZodType<DeclaredResource>;

/** Written out, since the compiler can't follow the options of commands through their rebuilding above. */
export type DeclaredResource = KindAndSpec &
  Infer<z.ZodObject<typeof order>> & {
    readonly cluster: string;
    readonly approvals?: ApprovalWish | undefined;
  };

export type DeclaredResources = Readonly<Record<string, DeclaredResource>>;

export const createStackRunRequestSchema = z
  .strictObject({
    action: z
      .enum(stackActions)
      .describe(
        "`plan`: report what an apply would change. `apply`: apply the declared resources and destroy those that are no longer declared. `destroy`: destroy all resources of the stack",
      ),
    resources: z
      .record(stackNameSchema, resourceSchema)
      .refine((resources) => Object.keys(resources).length <= stackLimits.resources, {
        message: `must be ${stackLimits.resources} at most`,
      })
      .optional()
      .describe(
        `All resources of the stack by name, at most ${stackLimits.resources}; required for \`plan\` and \`apply\`, not allowed for \`destroy\``,
      ),
    maxParallel: z
      .int()
      .min(1)
      .max(stackLimits.steps)
      .optional()
      .describe("Maximum number of commands in progress at once (default 200)"),
    idempotencyKey: idempotencyKeySchema
      .optional()
      .describe("Key of at most 128 printable ASCII characters: repeating a request with the same key runs it once"),
  })
  .refine(({ action, resources }) => (action === "destroy") === (resources === undefined), {
    message: "must have resources for plan and apply, and none for destroy",
  })
  .meta({ id: "CreateStackRunRequest", description: "Starts a run of a stack" });
export type CreateStackRunRequest = Infer<typeof createStackRunRequestSchema>;
