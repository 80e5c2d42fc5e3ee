import { z } from "zod";
import { clusterStateSchema } from "../cluster.ts";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { commandApprovalSchema, givenApprovalSchema } from "./approval.ts";
import { commandKindNames, commandStates } from "./names.ts";
import { templateOriginSchema } from "./template-use.ts";

const stateSchema = z.enum(commandStates);

export const commandTroubleSchema = z
  .object({
    code: z.string().describe("Error code, as in docs/errors.md"),
    message: z.string().describe("What went wrong, in a sentence. It holds no secret"),
    hint: z.string().optional().describe("What to do about it"),
  })
  .describe("Why a command didn't succeed");
export type CommandTrouble = Infer<typeof commandTroubleSchema>;

// Before somebody has approved planning, nothing that the proposer chose is run, and no Secret is read for it.
const commandProposalSchema = z
  .object({
    isVouched: z
      .boolean()
      .describe(
        "Whether the proposal is planned without approval, because it was made from a template none of whose parameters chooses code",
      ),
    planApprovedBy: z.array(z.string()).readonly().describe("Names of the people who approved planning"),
    held: commandTroubleSchema
      .optional()
      .describe("Why the agent holds the proposal back until planning is approved. Absent when it doesn't"),
    until: timestampSchema.optional().describe("RFC 3339 time until which planning can be approved"),
  })
  .meta({ id: "CommandProposal", description: "State of a command whose requester may only propose it" });

const commandShape = {
  id: z.string().describe("ID of the command, `cmd_…`"),
  cluster: z.string().describe("Cluster in which the command runs"),
  kind: z.enum(commandKindNames).describe("Kind of the command, which decides the form of its spec"),
  target: z
    .string()
    .describe(
      "What the command acts on, as `KIND/NAMESPACE/NAME`. Commands with the same target run one after another, in the order of their requests",
    ),
  namespace: z.string().describe("Namespace in which the command acts"),
  dryRun: z.boolean().describe("Whether the command only reports what it would change"),
  state: stateSchema.describe("Current state of the command"),
  requester: z.string().describe("Name of the user or robot that requested the command"),
  serviceAccount: z
    .string()
    .optional()
    .describe("ServiceAccount that the command runs as, as `NAMESPACE/NAME`. Absent: the agent's own"),
  priority: z.number().describe("Priority, 0 to 9. Commands of a higher priority run first"),
  createdAt: timestampSchema.describe("RFC 3339 time of the request"),
  deadlineAt: timestampSchema.describe("RFC 3339 time at which the command expires unless an agent has claimed it"),
  claims: z.number().describe("Number of times that an agent has claimed the command"),
  cancellation: z
    .enum(["graceful", "forced"])
    .optional()
    .describe("Cancellation in progress: `graceful`, or `forced` after a second request. Absent without one"),
  approval: commandApprovalSchema
    .optional()
    .describe("Progress of the approval. Absent for a command that needs no approval"),
  proposal: commandProposalSchema
    .optional()
    .describe("State of the proposal. Absent when the requester may create the command"),
  finishedAt: timestampSchema
    .optional()
    .describe("RFC 3339 time at which the command ended. Absent while it hasn't ended"),
  trouble: commandTroubleSchema.optional().describe("Why the command didn't succeed. Absent when it did, or may still"),
  retryOf: z.string().optional().describe("ID of the command that this one repeats"),
  rollout: z.string().optional().describe("ID of the rollout that the command is a part of"),
  stackRun: z.string().optional().describe("ID of the stack run that the command is a part of"),
  template: templateOriginSchema.optional().describe("Template that the command was made from"),
  logBytes: z.number().describe("Bytes of log that the hub has received, including those it has removed since"),
};

export const commandSchema = z
  .object(commandShape)
  .meta({ id: "Command", description: "A request to do something in one cluster, and its state" });
export type Command = Infer<typeof commandSchema>;

const commandWaitingSchema = z
  .object({
    for: z
      .enum(["cluster", "agent", "target", "turn"])
      .describe(
        "`cluster`: no agent of the cluster is connected. `agent`: agents are connected, and none of them runs commands. `target`: an earlier command with the same target hasn't ended. `turn`: an agent takes the command when it has room",
      ),
    clusterState: clusterStateSchema.optional().describe("State of the cluster. Present with `cluster`"),
    since: timestampSchema
      .optional()
      .describe("RFC 3339 time at which the cluster entered this state. Present with `cluster`"),
    command: z
      .string()
      .optional()
      .describe("ID of the earlier command. Present with `target` for callers who may see that command"),
  })
  .meta({ id: "CommandWaiting", description: "Why no agent has taken a command yet" });
export type CommandWaiting = Infer<typeof commandWaitingSchema>;

const commandStepSchema = z
  .object({
    at: timestampSchema.describe("RFC 3339 time of the step"),
    actor: z.string().describe("Who took the step: the name of a user or robot, `agent …`, or `hub`"),
    from: stateSchema.optional().describe("State before the step. Absent for the first step"),
    to: stateSchema.describe("State after the step"),
    reason: z.string().optional().describe("Reason for the step, in a sentence"),
  })
  .meta({ id: "CommandStep", description: "A change of a command's state" });
export type CommandStep = Infer<typeof commandStepSchema>;

export const commandDetailSchema = z
  .object({
    ...commandShape,
    waiting: commandWaitingSchema
      .optional()
      .describe("Why no agent has taken the command yet. Present while its state is `queued` or `approved`"),
    parameters: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Parameters of the template. Absent for a command that wasn't made from one"),
    spec: z
      .unknown()
      .optional()
      .describe(
        "Spec of the command, in the form of its kind. Present for callers who may create such commands, and for the requester unless a template decides it",
      ),
    plan: z
      .unknown()
      .optional()
      .describe("Plan that is or was to be approved, in the form of the command's kind. Absent while there is none"),
    approvals: z
      .array(givenApprovalSchema)
      .optional()
      .describe("Approvals given, oldest first. Absent for a command that needs no approval"),
    result: z
      .unknown()
      .optional()
      .describe("Result of the command, in the form of its kind. Absent while it hasn't ended"),
    history: z.array(commandStepSchema).describe("Changes of the command's state, oldest first"),
  })
  .meta({ id: "CommandDetail", description: "A command with its spec, plan, result and history" });
export type CommandDetail = Infer<typeof commandDetailSchema>;

export const commandListSchema = z
  .object({
    items: z.array(commandSchema).describe("Commands, newest first"),
    next: z
      .string()
      .optional()
      .describe(
        "Cursor of the next page. A page can have fewer items than requested, or none, and still have a next page. Absent on the last page",
      ),
  })
  .meta({ id: "CommandList", description: "A page of commands" });
export type CommandList = Infer<typeof commandListSchema>;
