// Signs the envelopes of the commands that an agent claims, with the key of the hub that answers.
import type { Clock } from "@fairlead/kernel";
import {
  type CommandEnvelope,
  type EnvelopeApproval,
  type EnvelopeProposal,
  envelopeTypeOf,
  isCommandKind,
} from "@fairlead/protocol";
import type { CommandKeys } from "../../platform/pki/index.ts";
import type { ClaimedRow } from "./claims.ts";

export async function signCommand(
  { keys, clock }: { readonly keys: Pick<CommandKeys, "sign">; readonly clock: Clock },
  row: ClaimedRow,
): Promise<string> {
  const { id, cluster, kind, spec, dry_run: dryRun, requester, service_account, created_at, expires_at } = row;
  if (!isCommandKind(kind)) throw new Error(`${kind} is no kind of command`);
  // Agents judge times by this hub's clock, which they know from its answer to Hello. The database's may differ.
  const aheadMs = clock.now() - row.claimed_at.getTime();
  const toOwnMs = (at: Date): number => at.getTime() + aheadMs;
  const approval = toApproval(row, toOwnMs);
  const envelope: CommandEnvelope = {
    id,
    cluster,
    kind,
    spec: JSON.parse(spec) as unknown,
    dryRun,
    requester,
    ...(service_account !== null && { serviceAccount: service_account }),
    issuedAtMs: toOwnMs(created_at),
    expiresAtMs: toOwnMs(expires_at),
    ...(approval && { approval }),
    ...toProposal(row),
  };
  return await keys.sign(JSON.stringify(envelope), envelopeTypeOf(envelope));
}

function toProposal(row: ClaimedRow): { readonly proposal?: EnvelopeProposal } {
  const { is_proposal: isProposal, is_vouched: isVouched, plan_approved_by: by } = row;
  return isProposal ? { proposal: { isVouched, planApprovedBy: by === null ? [] : [by] } } : {};
}

function toApproval(row: ClaimedRow, toOwnMs: (at: Date) => number): EnvelopeApproval | undefined {
  const { approvals_required: required, approval_seconds: seconds, plan_digest: digest, approved_by: by } = row;
  if (required === null) return undefined;
  // As long as it may wait for people, and then for an agent.
  const waitMs = row.deadline_at.getTime() - row.created_at.getTime();
  const keptMs = (seconds ?? 0) * 1_000 + waitMs;
  if (digest === null) return { is: "needed", keptMs };
  return { is: "given", digest, by: by ?? [], untilMs: toOwnMs(row.deadline_at), keptMs };
}
