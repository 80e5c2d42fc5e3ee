import type { ApprovalWish, Template, TemplateClusters, TemplateDetail } from "@fairlead/contract";
import type { Selectable } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

/** With all that may be large. */
export type TemplateRow = Selectable<Tables["template"]>;
export type TemplateSummaryRow = Omit<TemplateRow, "spec" | "parameters">;

export const summaryColumns: readonly (keyof TemplateSummaryRow)[] = [
  ...(["name", "revision", "description", "kind", "clusters", "approvals", "deadline_seconds"] as const),
  ...(["service_account", "is_vouched", "changed_by", "changed_at"] as const),
];

export function toTemplate(row: TemplateSummaryRow): Template {
  const { name, description, kind, revision, changed_by: changedBy } = row;
  return {
    name,
    kind,
    revision,
    changedBy,
    isVouched: row.is_vouched,
    clusters: clustersOf(row),
    changedAt: row.changed_at.toISOString(),
    ...(description === null ? {} : { description }),
  };
}

export function toDetail(row: TemplateRow, { hasSpec }: { readonly hasSpec: boolean }): TemplateDetail {
  const { deadline_seconds: deadlineSeconds, service_account: serviceAccount } = row;
  const approvals = approvalsOf(row);
  return {
    ...toTemplate(row),
    parameters: JSON.parse(row.parameters) as TemplateDetail["parameters"],
    ...(approvals === undefined ? {} : { approvals }),
    ...(deadlineSeconds === null ? {} : { deadlineSeconds }),
    ...(serviceAccount === null ? {} : { serviceAccount }),
    ...(hasSpec ? { spec: JSON.parse(row.spec) as unknown } : {}),
  };
}

export function clustersOf({ clusters }: Pick<TemplateRow, "clusters">): TemplateClusters {
  return JSON.parse(clusters) as TemplateClusters;
}

export function approvalsOf({ approvals }: Pick<TemplateRow, "approvals">): ApprovalWish | undefined {
  return approvals === null ? undefined : (JSON.parse(approvals) as ApprovalWish);
}
