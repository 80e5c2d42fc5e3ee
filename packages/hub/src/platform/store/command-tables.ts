import type { CommandStateName } from "@fairlead/contract";
import type { Generated } from "kysely";

/** Commands to clusters, and the keys that sign them. */
export interface CommandTables {
  readonly command: CommandTable;
  readonly command_queue: CommandQueueTable;
  readonly command_approval: CommandApprovalTable;
  readonly command_step: CommandStepTable;
  readonly command_log: CommandLogTable;
  readonly command_log_piece: CommandLogPieceTable;
  readonly command_log_arrival: CommandLogArrivalTable;
  readonly command_key: CommandKeyTable;
  readonly command_key_seal: CommandKeySealTable;
}

export interface CommandQueueTable {
  readonly cluster: string;
}

export interface CommandTable {
  readonly id: string;
  readonly number: Generated<number>;
  readonly cluster: string;
  readonly incarnation: string;
  readonly cluster_uid: string | null;
  readonly kind: string;
  readonly target: string;
  readonly namespace: string;
  readonly dry_run: boolean;
  readonly spec: string;
  readonly spec_bytes: number;
  readonly requester: string;
  readonly requester_uid: string;
  readonly idempotency_key: string | null;
  readonly idempotency_digest: string | null;
  readonly retry_of: string | null;
  readonly trace_parent: string | null;
  readonly rollout: string | null;
  readonly stack_run: string | null;
  readonly priority: number;
  readonly created_at: Generated<Date>;
  readonly deadline_at: Date;
  readonly state: StoredCommandState;
  readonly epoch: Generated<number>;
  readonly claimed_by: string | null;
  readonly lease_until: Date | null;
  readonly reported: Generated<number>;
  readonly lapses: Generated<number>;
  readonly cancellation: "graceful" | "forced" | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
  readonly result: string | null;
  readonly result_bytes: Generated<number>;
  readonly service_account: Generated<string | null>;
  readonly template: string | null;
  readonly template_revision: number | null;
  readonly parameters: string | null;
  readonly log_end: number | null;
  readonly finished_at: Date | null;
  readonly approvals_required: number | null;
  readonly approvals_given: Generated<number>;
  readonly four_eyes: Generated<boolean>;
  readonly approval_seconds: number | null;
  readonly approval_until: Date | null;
  readonly plan_epoch: number | null;
  readonly plan_digest: string | null;
  readonly plan_round: Generated<number>;
  readonly prior_plan_epoch: number | null;
  readonly prior_plan_digest: string | null;
  readonly ends_as: "rejected" | "expired" | "cancelled" | null;
  readonly plan: string | null;
  readonly plan_bytes: Generated<number>;
  readonly is_proposal: Generated<boolean>;
  readonly is_vouched: Generated<boolean>;
  /** These are JSON. */
  readonly asker: string;
  readonly plan_hold: string | null;
  readonly plan_approver: string | null;
  readonly plan_hold_epoch: number | null;
  readonly plan_approved_by: string | null;
}

/** Has `proposed/` or `gated/` before it for a command that hasn't ended and is a proposal, or else needs approval. */
export type StoredCommandState = CommandStateName | `gated/${CommandStateName}` | `proposed/${CommandStateName}`;

export interface CommandApprovalTable {
  readonly command: string;
  readonly approver_uid: string;
  readonly approver: string;
  readonly at: Generated<Date>;
  readonly comment: string | null;
  readonly round: Generated<number>;
  /** JSON. */
  readonly asker: string;
}

export interface CommandStepTable {
  readonly id: Generated<number>;
  readonly command: string;
  readonly at: Generated<Date>;
  readonly actor: string;
  readonly from_state: CommandStateName | null;
  readonly to_state: CommandStateName;
  readonly reason: string | null;
}

export interface CommandLogTable {
  readonly command: string;
  readonly cluster: string;
  readonly bytes: Generated<number>;
  readonly is_full: Generated<boolean>;
  readonly is_gone: Generated<boolean>;
  readonly stored_bytes: Generated<number>;
  readonly grown_at: Date | null;
}

export interface CommandLogPieceTable {
  readonly command: string;
  readonly start: number;
  readonly bytes: number;
  readonly data: Uint8Array;
}

export interface CommandLogArrivalTable {
  readonly command: string;
  readonly start: number;
  readonly at: Date;
}

export interface CommandKeyTable {
  readonly id: string;
  readonly public_jwk: string;
  readonly signs_from: Date;
  readonly ends_at: Date | null;
}

export interface CommandKeySealTable {
  readonly key: string;
  /** Empty for a key as it is. */
  readonly key_id: string;
  readonly sealed_key: string;
  readonly replaced_by: string | null;
}
