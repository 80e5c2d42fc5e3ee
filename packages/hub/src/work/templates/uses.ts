// Makes commands of templates, and says where they may be used.
import { type ApprovalWish, commandLimits, type KindAndSpec, type TemplateUse } from "@fairlead/contract";
import type { Principal } from "../../people/access/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import type { FilledRequest, TemplateUses, UnfilledRequest, UsedTemplate } from "../commands/index.ts";
import { toSchema } from "./check-template.ts";
import { createClusterChoice } from "./choice.ts";
import { templateErrors } from "./errors.ts";
import { checkValues } from "./parameters/index.ts";
import { formatProblems } from "./problems.ts";
import { renderSpec } from "./rendering/index.ts";
import type { TemplateRights } from "./rights.ts";
import { approvalsOf, clustersOf, type TemplateRow } from "./rows.ts";
import type { TemplateStore } from "./store.ts";

export function createTemplateUses(ports: {
  readonly store: Pick<TemplateStore, "find">;
  readonly rights: TemplateRights;
  readonly clusters: Pick<Clusters, "labels">;
}): TemplateUses {
  const { store, rights, clusters } = ports;
  return {
    mayUse: rights.mayUse,

    async vouch({ name, revision }) {
      const row = await store.find(name);
      const isPresent = row?.revision === revision;
      return { isVouched: isPresent && row.is_vouched, needsApproval: !isPresent || row.approvals !== null };
    },

    async fill(principal, request) {
      if (request.kind !== "template") return request as FilledRequest<typeof request>;
      const { spec: use, ...asked } = request;
      const row = await findUsable(principal, use.name, request.cluster);
      const { command, template } = renderTemplate(row, use);
      return { ...asked, ...command, ...fixedOf(row, request), template } as FilledRequest<typeof request>;
    },

    async checkAll(principal, { name }) {
      const row = await store.find(name);
      if (!row) throw templateErrors.TEMPLATE_NOT_FOUND({ name });
      const isFor = createClusterChoice(clusters, clustersOf(row));
      return (cluster) => {
        rights.requireUse(principal, name, cluster);
        if (!isFor(cluster)) throw templateErrors.TEMPLATE_CLUSTER_EXCLUDED({ name, cluster });
      };
    },
  };

  /** Throws TEMPLATE_NOT_FOUND also to people who may use the template nowhere. */
  async function findUsable(principal: Principal, name: string, cluster: string | undefined): Promise<TemplateRow> {
    const row = await store.find(name);
    const isUsable =
      row && (rights.mayUse(principal, name, cluster) || (await rights.mayUseSomewhere(principal, name)));
    if (!isUsable) throw templateErrors.TEMPLATE_NOT_FOUND({ name });
    return row;
  }
}

/** Throws TEMPLATE_CHANGED, TEMPLATE_PARAMETERS_INVALID, TEMPLATE_RENDERING_INVALID. */
export function renderTemplate(
  row: TemplateRow,
  { revision: wanted, parameters = {} }: Omit<TemplateUse["spec"], "name">,
): { readonly command: KindAndSpec; readonly template: UsedTemplate } {
  const { name, revision, kind } = row;
  if (wanted !== undefined && wanted !== revision) throw templateErrors.TEMPLATE_CHANGED({ name, wanted, revision });
  const { value, problems } = checkValues(toSchema(row.parameters), parameters);
  if (problems.length > 0)
    throw templateErrors.TEMPLATE_PARAMETERS_INVALID({ name, problems: formatProblems(problems) });
  const values = value as Readonly<Record<string, unknown>>;
  const rendered = renderSpec(kind, JSON.parse(row.spec) as Readonly<Record<string, unknown>>, values);
  if (!rendered.command)
    throw templateErrors.TEMPLATE_RENDERING_INVALID({ name, problems: formatProblems(rendered.problems) });
  return { command: rendered.command, template: { name, revision, parameters: values } };
}

/** The wishes that the template fixes. Throws TEMPLATE_WISH_FIXED for a request that says otherwise. */
function fixedOf(row: TemplateRow, request: UnfilledRequest): Partial<UnfilledRequest> & { serviceAccount?: string } {
  const { name, deadline_seconds: deadlineSeconds, service_account: serviceAccount } = row;
  const refuse = (wish: string): Error => templateErrors.TEMPLATE_WISH_FIXED({ name, wish });
  const approvals = approvalsOf(row);
  if (approvals && request.approvals && !isSameWish(approvals, request.approvals)) throw refuse("approvals");
  const { deadlineSeconds: wished = deadlineSeconds } = request;
  if (deadlineSeconds !== null && wished !== deadlineSeconds) throw refuse("deadlineSeconds");
  return {
    // A dry run does nothing that could be approved.
    ...(approvals && !request.dryRun ? { approvals } : {}),
    ...(deadlineSeconds === null ? {} : { deadlineSeconds }),
    ...(serviceAccount === null ? {} : { serviceAccount }),
  };
}

function isSameWish(one: ApprovalWish, other: ApprovalWish): boolean {
  const { defaultApprovalSeconds: seconds } = commandLimits;
  const whole = { required: 1, fourEyes: true, seconds };
  const [first, second] = [one, other].map((wish) => ({ ...whole, ...wish }));
  return (
    first?.required === second?.required && first?.fourEyes === second?.fourEyes && first?.seconds === second?.seconds
  );
}
