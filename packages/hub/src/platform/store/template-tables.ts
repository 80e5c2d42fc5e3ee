import type { CommandKindName } from "@fairlead/contract";
import type { Generated } from "kysely";

/** Commands that somebody has written down for others. */
export interface TemplateTables {
  readonly template: TemplateTable;
}

export interface TemplateTable {
  readonly name: string;
  readonly revision: Generated<number>;
  readonly description: string | null;
  readonly kind: CommandKindName;
  /** All of these are JSON. */
  readonly clusters: string;
  readonly parameters: string;
  readonly spec: string;
  readonly approvals: string | null;
  readonly deadline_seconds: number | null;
  readonly service_account: string | null;
  readonly is_vouched: Generated<boolean>;
  readonly changed_by: string;
  readonly changed_at: Generated<Date>;
}
