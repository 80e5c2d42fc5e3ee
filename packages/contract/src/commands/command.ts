import { z } from "zod";
import { timestampSchema } from "../primitives.ts";
import { type CommandApproval, commandApprovalSchema, type GivenApproval, givenApprovalSchema } from "./approval.ts";
import { type CommandKindName, type CommandStateName, commandKindNames, commandStates } from "./names.ts";
import { type TemplateOrigin, templateOriginSchema } from "./template-use.ts";

/** Why a command ended otherwise than well. */
export interface CommandTrouble {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A request to do something in one cluster. */
export interface Command {
  readonly id: string;
  readonly cluster: string;
  readonly kind: CommandKindName;
  /** Commands with the same target run one after another, in the order in which they were asked for. */
  readonly target: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly state: CommandStateName;
  readonly requester: string;
  /** With whose rights it runs; undefined: with the agent's own. */
  readonly serviceAccount?: string | undefined;
  readonly priority: number;
  readonly createdAt: string;
  readonly deadlineAt: string;
  /** How often an agent has claimed it. */
  readonly claims: number;
  /** Asked for, and not decided yet. */
  readonly cancellation?: "graceful" | "forced" | undefined;
  /** For a command that is planned and approved before it is carried out. */
  readonly approval?: CommandApproval | undefined;
  /** For a command of somebody who may only propose it. */
  readonly proposal?: CommandProposal | undefined;
  readonly finishedAt?: string | undefined;
  readonly trouble?: CommandTrouble | undefined;
  /** The command that this one repeats. */
  readonly retryOf?: string | undefined;
  /** The rollout that it is a part of. */
  readonly rollout?: string | undefined;
  /** The run of a stack that it is a part of. */
  readonly stackRun?: string | undefined;
  /** The template that it was made of. */
  readonly template?: TemplateOrigin | undefined;
  /** The bytes of the log that the hub has got, even if it has removed them again. */
  readonly logBytes: number;
}

/** Nothing that a proposer chose is run, and no Secret is read for it, before somebody has approved planning it. */
export interface CommandProposal {
  /** It was made from a template none of whose parameters chooses code, so it is planned without approval. */
  readonly isVouched: boolean;
  readonly planApprovedBy: readonly string[];
  /** Why its agent holds it back until then. */
  readonly held?: CommandTrouble | undefined;
  /** Until then planning may be approved. */
  readonly until?: string | undefined;
}

/** A step of a command's life. */
export interface CommandStep {
  readonly at: string;
  /** Somebody's name, `agent …`, or `hub`. */
  readonly actor: string;
  readonly from?: CommandStateName | undefined;
  readonly to: CommandStateName;
  readonly reason?: string | undefined;
}

export interface CommandDetail extends Command {
  /** The template's parameters, for a command that was made of one. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** For those who may ask for such commands themselves, and for its requester unless a template says it. */
  readonly spec?: unknown;
  /** The plan that is approved, or was, in the form of the command's kind. */
  readonly plan?: unknown;
  /** Oldest first; only where approvals are asked for. */
  readonly approvals?: GivenApproval[] | undefined;
  /** The command's result, in the form of its kind. */
  readonly result?: unknown;
  /** Oldest first. */
  readonly history: CommandStep[];
}

export interface CommandList {
  readonly items: Command[];
  /** The cursor of the next page. A page may have fewer items than were asked for, or none, and still have a next one. */
  readonly next?: string | undefined;
}

const stateSchema = z.enum(commandStates);

export const commandTroubleSchema: z.ZodType<CommandTrouble> = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});

const commandProposalSchema: z.ZodType<CommandProposal> = z
  .object({
    isVouched: z.boolean(),
    planApprovedBy: z.array(z.string()).readonly(),
    held: commandTroubleSchema.optional(),
    until: timestampSchema.optional(),
  })
  .meta({ id: "CommandProposal" });

const commandShape = {
  id: z.string(),
  cluster: z.string(),
  kind: z.enum(commandKindNames),
  target: z.string(),
  namespace: z.string(),
  dryRun: z.boolean(),
  state: stateSchema,
  requester: z.string(),
  serviceAccount: z.string().optional(),
  priority: z.number(),
  createdAt: timestampSchema,
  deadlineAt: timestampSchema,
  claims: z.number(),
  cancellation: z.enum(["graceful", "forced"]).optional(),
  approval: commandApprovalSchema.optional(),
  proposal: commandProposalSchema.optional(),
  finishedAt: timestampSchema.optional(),
  trouble: commandTroubleSchema.optional(),
  retryOf: z.string().optional(),
  rollout: z.string().optional(),
  stackRun: z.string().optional(),
  template: templateOriginSchema.optional(),
  logBytes: z.number(),
};

export const commandSchema: z.ZodType<Command> = z.object(commandShape).meta({ id: "Command" });

const commandStepSchema: z.ZodType<CommandStep> = z
  .object({
    at: timestampSchema,
    actor: z.string(),
    from: stateSchema.optional(),
    to: stateSchema,
    reason: z.string().optional(),
  })
  .meta({ id: "CommandStep" });

export const commandDetailSchema: z.ZodType<CommandDetail> = z
  .object({
    ...commandShape,
    parameters: z.record(z.string(), z.unknown()).optional(),
    spec: z.unknown().optional(),
    plan: z.unknown().optional(),
    approvals: z.array(givenApprovalSchema).optional(),
    result: z.unknown().optional(),
    history: z.array(commandStepSchema),
  })
  .meta({ id: "CommandDetail" });

export const commandListSchema: z.ZodType<CommandList> = z
  .object({ items: z.array(commandSchema), next: z.string().optional() })
  .meta({ id: "CommandList" });
