import type { CommandApproval, RolloutClusterState, RolloutStateName } from "@fairlead/contract";
import type { ColumnType, Generated } from "kysely";

/** The same asked of several clusters. */
export interface RolloutTables {
  readonly rollout: RolloutTable;
  readonly rollout_cluster: RolloutClusterTable;
}

export interface RolloutTable {
  readonly id: string;
  readonly number: Generated<number>;
  readonly kind: string;
  readonly target: string;
  readonly namespace: string;
  readonly dry_run: boolean;
  readonly request: string;
  readonly request_bytes: number;
  readonly requester: string;
  readonly requester_uid: string;
  readonly asker: string;
  readonly max_parallel: number | null;
  readonly stop_after: number | null;
  readonly pause_seconds: number | null;
  readonly waves: number;
  readonly state: RolloutStateName;
  readonly wave: Generated<number>;
  readonly why: "asked" | "between-waves" | "stopped" | "cancelled" | null;
  readonly by_whom: string | null;
  readonly resume_at: Date | null;
  readonly cancellation: "graceful" | "forced" | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
  readonly version: Generated<number>;
  readonly idempotency_key: string | null;
  readonly idempotency_digest: string | null;
  readonly retry_of: string | null;
  readonly template: string | null;
  readonly template_revision: number | null;
  readonly clusters: number;
  readonly waiting: number;
  readonly running: Generated<number>;
  readonly succeeded: Generated<number>;
  readonly failed: Generated<number>;
  readonly skipped: Generated<number>;
  readonly awaiting: Generated<number>;
  readonly created_at: Generated<Date>;
  readonly finished_at: Date | null;
}

export interface RolloutClusterTable {
  readonly rollout: string;
  readonly place: number;
  readonly cluster: string;
  readonly incarnation: string;
  readonly wave: number;
  readonly state: RolloutClusterState;
  readonly command: string | null;
  readonly approval: ColumnType<CommandApproval | null, undefined, never>;
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
  readonly version: Generated<number>;
}
