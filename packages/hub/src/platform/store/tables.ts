// The tables as SQL in migrations/ makes them. Times are Dates, `jsonb` goes in as text and comes out parsed.
import type { Role } from "@fairlead/protocol";
import type { ColumnType, Generated } from "kysely";
import type { AccessTables } from "./access-tables.ts";
import type { AuditTables } from "./audit-tables.ts";
import type { AuthorityTables } from "./authority-tables.ts";
import type { CommandTables } from "./command-tables.ts";
import type { DeclarationTables } from "./declaration-tables.ts";
import type { GitopsTables } from "./gitops-tables.ts";
import type { HubTables } from "./hub-tables.ts";
import type { InventoryTables } from "./inventory-tables.ts";
import type { ProfileTables } from "./profile-tables.ts";
import type { ReachTables } from "./reach-tables.ts";
import type { RolloutTables } from "./rollout-tables.ts";
import type { ScheduleTables } from "./schedule-tables.ts";
import type { SharingTables } from "./sharing-tables.ts";
import type { StackTables } from "./stack-tables.ts";
import type { TemplateTables } from "./template-tables.ts";

export interface Tables
  extends AccessTables,
    AuditTables,
    AuthorityTables,
    CommandTables,
    DeclarationTables,
    GitopsTables,
    HubTables,
    InventoryTables,
    ProfileTables,
    ReachTables,
    RolloutTables,
    ScheduleTables,
    SharingTables,
    StackTables,
    TemplateTables {
  readonly admin_token: AdminTokenTable;
  readonly cluster: ClusterTable;
  readonly cluster_event: ClusterEventTable;
  readonly cluster_alarm: ClusterAlarmTable;
  readonly cluster_revocation: ClusterRevocationTable;
  readonly join_token: JoinTokenTable;
  readonly identity: IdentityTable;
  readonly join_claim: JoinClaimTable;
}

export interface AdminTokenTable {
  readonly id: string;
  readonly name: string;
  readonly secret_sha256: string;
  readonly created_at: Date;
  /** When somebody first signed in with it. */
  readonly used_at: Date | null;
  /** Made by `admin-token new`, not by a start. */
  readonly by_command: Generated<boolean>;
  readonly revoked_at: Date | null;
  readonly revoked_by: string | null;
  /** Since when its making by command, or its end, is in the audit records. */
  readonly recorded_at: Date | null;
  /** When the hub that showed it last said that it is there. */
  readonly shown_at: Date | null;
}

export interface ClusterTable {
  readonly name: string;
  readonly labels: ColumnType<Readonly<Record<string, string>>, string, string>;
  readonly roles: Role[];
  readonly epoch: Generated<number>;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  readonly revoked_reason: string | null;
  readonly last_seen_at: Date | null;
  readonly last_lost_at: Date | null;
  readonly kubernetes_version: string | null;
  /** The UID of the cluster that the name means. */
  readonly kube_system_uid: string | null;
  /** The UID of another cluster that answered under the name. It waits to be confirmed. */
  readonly replacement_uid: string | null;
  readonly agent_version: string | null;
  /** PostgreSQL's driver gives a bigint as text. */
  readonly clock_skew_ms: ColumnType<number | string | null, number | null, number | null>;
  /** Rises with each change but `last_seen_at` alone. */
  readonly version: Generated<number>;
  /** Another one when the name is given again. */
  readonly incarnation: Generated<string>;
  readonly display_name: string | null;
  /** Nobody deletes or revokes it. */
  readonly protected: Generated<boolean>;
}

export interface ClusterEventTable {
  readonly id: Generated<number>;
  readonly cluster: string;
  readonly at: Date;
  readonly level: string;
  readonly type: string;
  readonly message: string;
}

export interface ClusterAlarmTable {
  readonly id: Generated<string>;
  readonly cluster: string;
  readonly type: string;
  readonly key: string;
  readonly message: string;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly count: number | string;
}

export interface ClusterRevocationTable {
  readonly cluster: string;
  readonly epoch: number;
  readonly revoked_at: Date;
}

export interface JoinTokenTable {
  readonly id: string;
  readonly cluster: string;
  readonly roles: Role[];
  readonly epoch: number;
  readonly secret_sha256: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

export interface IdentityTable {
  readonly serial: string;
  readonly cluster: string;
  readonly roles: Role[];
  readonly epoch: number;
  readonly key_thumbprint: string;
  readonly certificate_pem: string;
  readonly issued_at: Date;
  readonly not_after: Date;
  /** The fingerprint of the authority that signed it. */
  readonly issuer: string | null;
  /** When the agent was first known to have it. */
  readonly confirmed_at: Date | null;
}

export interface JoinClaimTable {
  readonly token_id: string;
  readonly role: string;
  readonly key_thumbprint: string;
  readonly serial: string | null;
}
