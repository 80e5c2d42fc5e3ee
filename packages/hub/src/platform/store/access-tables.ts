import type { ColumnType } from "kysely";

/** Users of the hub and their rights. */
export type AccessTables = {
  readonly access_user: AccessUserTable;
  readonly robot: RobotTable;
  readonly robot_token: RobotTokenTable;
  readonly session: SessionTable;
  readonly session_token: SessionTokenTable;
  readonly access_role: AccessRoleTable;
  readonly access_binding: AccessBindingTable;
};

export interface AccessUserTable {
  readonly uid: string;
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly groups: string[];
  readonly created_at: Date;
  readonly signed_in_at: Date;
}

export interface RobotTable {
  readonly name: string;
  readonly uid: string;
  readonly description: string | null;
  /** PostgreSQL's driver gives a bigint as text. */
  readonly ttl_ms: ColumnType<number | string, number, number>;
  readonly created_at: Date;
}

export interface RobotTokenTable {
  readonly id: string;
  readonly robot: string;
  readonly secret_sha256: string;
  readonly scope: Json;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
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
}

export interface SessionTokenTable {
  readonly secret_sha256: string;
  readonly session_id: string;
  readonly kind: string;
  readonly expires_at: Date;
  readonly used_at: Date | null;
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
}

type Json = ColumnType<unknown, string | null, string | null>;
