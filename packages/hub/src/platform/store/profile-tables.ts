import type { ColumnType, Generated } from "kysely";

/** Profiles, and which cluster is examined by which. */
export interface ProfileTables {
  readonly profile: ProfileTable;
  readonly profile_choice: ProfileChoiceTable;
}

export interface ProfileTable {
  readonly name: string;
  readonly content: string;
  readonly changed_by: string;
  readonly changed_at: Generated<Date>;
}

export interface ProfileChoiceTable {
  readonly cluster: string;
  readonly profile: string;
  /** PostgreSQL's driver gives a bigint as text. */
  readonly generation: ColumnType<number | string, number, number>;
  readonly changed_by: string;
  readonly changed_at: Generated<Date>;
}
