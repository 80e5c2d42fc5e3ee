// What an agent is given to do, signed by the hub that answers its claim.
import { type CommandEnvelope, envelopeType, isCommandKind } from "@fairlead/protocol";
import type { CommandKeys } from "../../platform/pki/index.ts";
import type { ClaimedRow } from "./claims.ts";

export async function signCommand(keys: Pick<CommandKeys, "sign">, row: ClaimedRow): Promise<string> {
  const { id, cluster, kind, spec, dry_run: dryRun, requester, service_account, created_at, expires_at } = row;
  if (!isCommandKind(kind)) throw new Error(`${kind} is no kind of command`);
  const envelope: CommandEnvelope = {
    ...{ id, cluster, kind, spec: JSON.parse(spec) as unknown, dryRun, requester },
    ...(service_account !== null && { serviceAccount: service_account }),
    issuedAtMs: created_at.getTime(),
    expiresAtMs: expires_at.getTime(),
  };
  return await keys.sign(JSON.stringify(envelope), envelopeType);
}
