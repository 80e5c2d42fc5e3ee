import type { ApprovalWish, CommandApproval, StackAction, StackRunStateName, StackStepState } from "@fairlead/contract";
import type { ColumnType, Generated } from "kysely";

/** Declared resources, in several clusters if wanted, that use each other's outputs. */
export interface StackTables {
  readonly stack: StackTable;
  readonly stack_resource: StackResourceTable;
  readonly stack_run: StackRunTable;
  readonly stack_step: StackStepTable;
}

export interface StackTable {
  readonly name: string;
  readonly owner: string;
  readonly owner_uid: string;
  readonly created_at: Generated<Date>;
}

export interface StackResourceTable {
  readonly cluster: string;
  readonly target: string;
  readonly stack: string;
  readonly incarnation: string;
  readonly name: string;
  readonly kind: string;
  readonly namespace: string;
  readonly spec: string;
  readonly spec_bytes: number;
  readonly depends_on: string[];
  readonly action: "apply" | "destroy";
  readonly outcome: "running" | "succeeded" | "failed" | "cancelled";
  readonly command: string;
  readonly asked_at: Generated<Date>;
  readonly approvals: WishColumn;
}

export interface StackRunTable {
  readonly id: string;
  readonly number: Generated<number>;
  readonly stack: string;
  readonly action: StackAction;
  readonly requester: string;
  readonly requester_uid: string;
  readonly asker: string;
  readonly max_parallel: number | null;
  readonly state: StackRunStateName;
  readonly by_whom: string | null;
  readonly cancellation: "graceful" | "forced" | null;
  readonly version: Generated<number>;
  readonly idempotency_key: string | null;
  readonly idempotency_digest: string | null;
  readonly created_at: Generated<Date>;
  readonly finished_at: Date | null;
}

export interface StackStepTable {
  readonly run: string;
  readonly place: number;
  readonly name: string;
  readonly action: "apply" | "destroy";
  readonly cluster: string;
  readonly incarnation: string | null;
  readonly kind: string;
  readonly namespace: string;
  readonly target: string;
  readonly spec: string | null;
  readonly spec_bytes: number;
  readonly depends_on: string[];
  readonly after: number[];
  readonly state: StackStepState;
  readonly command: string | null;
  readonly approvals: WishColumn;
  readonly approval: ColumnType<CommandApproval | null, undefined, string | null>;
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
}

type WishColumn = ColumnType<ApprovalWish | null, string | null | undefined, never>;
