// Decides when a command is asked for whether it is a proposal: its requester may only propose such commands.
import type { Principal } from "../../people/access/index.ts";
import { kindsOfRequest } from "./kinds-of.ts";
import type { CommandRights } from "./rights.ts";
import type { FilledCommandRequest, TemplateUses } from "./template-uses.ts";

/** Gives a function that judges from memory. Undefined: it is none there. */
export async function judgeProposal(
  ports: { readonly rights: Pick<CommandRights, "may">; readonly templates: Pick<TemplateUses, "vouch"> },
  principal: Principal,
  request: FilledCommandRequest,
): Promise<(cluster: string) => { readonly isVouched: boolean } | undefined> {
  const { template, approvals, dryRun } = request;
  const kinds = kindsOfRequest(request);
  const { isVouched, needsApproval } = template ? await ports.templates.vouch(template) : noTemplate;
  // Whoever offers a template without approvals lets its users create commands by it.
  const isForOthersToDecide = !template || approvals !== undefined || (dryRun === true && needsApproval);
  return (cluster) => {
    if (!isForOthersToDecide) return undefined;
    const mayCreate = kinds.every((kind) => ports.rights.may(principal, "create", { cluster, kind }));
    return mayCreate ? undefined : { isVouched };
  };
}

const noTemplate = { isVouched: false, needsApproval: false };
