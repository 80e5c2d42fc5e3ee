// Whether people approve what a run would do before it does it.
import { type ApprovalWish, commandLimits } from "@fairlead/contract/client";
import type { Command } from "../../command.ts";
import { usage } from "../../errors.ts";
import { parseSpan } from "../../output/index.ts";

export interface ApprovalOptions {
  readonly approval?: boolean;
  readonly approvers?: number;
  readonly ownApproval?: boolean;
  readonly approvalTime?: number;
}

export function addApprovalOptions(command: Command): Command {
  return command
    .option("--approval", "Plan first, and apply only after approval")
    .option("--approvers <number>", "Number of approvals required (default: 1)", parseApprovers)
    .option("--own-approval", "Count the requester's own approval")
    .option("--approval-time <time>", "Maximum time to wait for approval (default: 1d)", parseSpan);
}

/** Undefined: nobody is asked. */
export function toApprovals(options: ApprovalOptions): ApprovalWish | undefined {
  const { approval, approvers: required, ownApproval, approvalTime } = options;
  if (!approval) {
    if (required === undefined && !ownApproval && approvalTime === undefined) return undefined;
    throw usage("The other approval options require --approval.", "Add --approval.");
  }
  return {
    ...(required === undefined ? {} : { required }),
    ...(ownApproval ? { fourEyes: false } : {}),
    ...(approvalTime === undefined ? {} : { seconds: Math.ceil(approvalTime / 1_000) }),
  };
}

function parseApprovers(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= commandLimits.maxApprovals) return count;
  throw usage(`'${text}' isn't a valid number of approvals.`, `Use a number from 1 to ${commandLimits.maxApprovals}.`);
}
