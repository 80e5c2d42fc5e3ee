import type { ColumnType, Generated } from "kysely";

/** Users of the hub and their rights. */
export type AccessTables = {
  readonly access_user: AccessUserTable;
  readonly robot: RobotTable;
  readonly robot_token: RobotTokenTable;
  readonly session: SessionTable;
  readonly session_token: SessionTokenTable;
  readonly session_end: SessionEndTable;
  readonly oidc_waiting: OidcWaitingTable;
  readonly oidc_logout: OidcLogoutTable;
  readonly access_role: AccessRoleTable;
  readonly access_binding: AccessBindingTable;
  readonly access_request: AccessRequestTable;
};

export interface AccessUserTable {
  readonly uid: string;
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly groups: string[];
  readonly created_at: Date;
  readonly signed_in_at: Date;
  readonly changed_xid: Xid;
}

export interface RobotTable {
  readonly name: string;
  readonly uid: string;
  readonly description: string | null;
  /** PostgreSQL's driver gives a bigint as text. */
  readonly ttl_ms: ColumnType<number | string, number, number>;
  readonly created_at: Date;
  readonly made_by: Generated<string[]>;
}

export interface RobotTokenTable {
  readonly id: string;
  readonly robot: string;
  readonly secret_sha256: string;
  readonly scope: Json;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
  readonly made_by: Generated<string[]>;
  readonly parent: Generated<string | null>;
}

export interface SessionTable {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly groups: string[];
  readonly method: string;
  readonly token_id: string | null;
  readonly scope: Json;
  readonly remote_address: string | null;
  readonly oidc_sid: string | null;
  readonly created_at: Date;
  readonly refreshed_at: Date;
  readonly ends_at: Date;
  readonly changed_xid: Xid;
}

export interface SessionTokenTable {
  readonly secret_sha256: string;
  readonly session_id: string;
  readonly kind: string;
  readonly expires_at: Date;
  readonly used_at: Date | null;
  readonly created_at: Generated<Date>;
}

export interface SessionEndTable {
  readonly id: string;
  readonly ends_at: Date;
  readonly changed_xid: Xid;
}

export interface OidcWaitingTable {
  readonly secret_sha256: string;
  readonly kind: string;
  readonly sealed: Buffer;
  readonly ends_at: Date;
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly sid: string | null;
  readonly interval_ms: number | null;
  readonly next_at: Date | null;
}

export interface OidcLogoutTable {
  readonly id_sha256: string;
  readonly ends_at: Date;
  readonly taken_at: Date;
  readonly is_done: boolean;
}

export interface AccessRoleTable {
  readonly name: string;
  readonly rules: ColumnType<unknown, string, string>;
}

export interface AccessBindingTable {
  readonly id: string;
  readonly subject_kind: string;
  readonly subject_name: string;
  readonly role: string;
  readonly clusters: ColumnType<unknown, string, string>;
  readonly record: boolean;
  readonly created_at: Date;
  readonly created_by: string;
  readonly ends_at: Date | null;
  readonly reason: string | null;
  readonly request: string | null;
}

export interface AccessRequestTable {
  readonly id: string;
  readonly requester_uid: string;
  readonly requester_name: string;
  readonly role: string;
  readonly clusters: ColumnType<unknown, string, string>;
  readonly ttl_ms: number | string;
  readonly reason: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly state_kind: string;
  readonly state: ColumnType<unknown, string, string>;
  readonly ended_at: Date | null;
}

/** The transaction that wrote the row last; the driver gives a bigint as text. */
type Xid = Generated<number | string>;

type Json = ColumnType<unknown, string | null, string | null>;
