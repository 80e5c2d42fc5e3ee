// What an agent is given to do, signed by the hub that answers its claim.
import {
  approvalEnvelopeType,
  type CommandEnvelope,
  type EnvelopeApproval,
  envelopeType,
  isCommandKind,
} from "@fairlead/protocol";
import type { CommandKeys } from "../../platform/pki/index.ts";
import type { ClaimedRow } from "./claims.ts";

export async function signCommand(keys: Pick<CommandKeys, "sign">, row: ClaimedRow): Promise<string> {
  const { id, cluster, kind, spec, dry_run: dryRun, requester, service_account, created_at, expires_at } = row;
  if (!isCommandKind(kind)) throw new Error(`${kind} is no kind of command`);
  const approval = toApproval(row);
  const envelope: CommandEnvelope = {
    ...{ id, cluster, kind, spec: JSON.parse(spec) as unknown, dryRun, requester },
    ...(service_account !== null && { serviceAccount: service_account }),
    issuedAtMs: created_at.getTime(),
    expiresAtMs: expires_at.getTime(),
    ...(approval && { approval }),
  };
  return await keys.sign(JSON.stringify(envelope), approval ? approvalEnvelopeType : envelopeType);
}

function toApproval(row: ClaimedRow): EnvelopeApproval | undefined {
  const { approvals_required: required, approval_seconds: seconds, plan_digest: digest, approved_by: by } = row;
  if (required === null) return undefined;
  if (digest !== null) return { is: "given", digest, by: by ?? [], untilMs: row.deadline_at.getTime() };
  // As long as it may wait for people, and then for an agent.
  const waitMs = row.deadline_at.getTime() - row.created_at.getTime();
  return { is: "needed", keptMs: (seconds ?? 0) * 1_000 + waitMs };
}
