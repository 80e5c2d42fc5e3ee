// Says whether a command is what the hub signed for this cluster. Nothing else about a command is believed.
import {
  approvalEnvelopeType,
  type CommandEnvelope,
  envelopeType,
  envelopeTypeOf,
  parseCommandEnvelope,
  proposalEnvelopeType,
} from "@fairlead/protocol";
import { compactVerify, errors } from "jose";
import type { CommandKeys } from "./command-keys.ts";
import { executeErrors } from "./errors.ts";

/** Throws COMMAND_UNSIGNED, COMMAND_KEY_UNKNOWN, COMMAND_ENVELOPE_INVALID or COMMAND_RETARGETED. */
export async function verifyEnvelope(options: {
  /** JWS in compact form. */
  readonly jws: string;
  /** Under which it was claimed. */
  readonly id: string;
  readonly cluster: string;
  readonly keys: Pick<CommandKeys, "find">;
}): Promise<CommandEnvelope> {
  const { jws, id, cluster, keys } = options;
  const { payload, protectedHeader } = await compactVerify(
    jws,
    ({ kid, typ }) => {
      // Before the signature is looked at: what else the hub signs isn't even tried.
      if (!types.has(typ ?? "")) throw executeErrors.COMMAND_UNSIGNED({ detail: "it declares another type" });
      const key = keys.find(kid ?? "");
      if (key === undefined) throw executeErrors.COMMAND_KEY_UNKNOWN();
      return key;
    },
    { algorithms: ["EdDSA"] },
  ).catch((error: unknown) => {
    throw explain(error);
  });
  const envelope = parseCommandEnvelope(Buffer.from(payload).toString());
  if (envelope === undefined || !commandId.test(envelope.id)) throw executeErrors.COMMAND_ENVELOPE_INVALID();
  // Commands that need approval and proposals have types of their own. Agents that don't know a type refuse it.
  if (protectedHeader.typ !== envelopeTypeOf(envelope))
    throw executeErrors.COMMAND_UNSIGNED({ detail: "it declares another type" });
  if (envelope.cluster !== cluster || envelope.id !== id) throw executeErrors.COMMAND_RETARGETED();
  return envelope;
}

/** By the hub's clock as Hello told it, and some leeway. Throws COMMAND_EXPIRED or COMMAND_NOT_YET. */
export function checkTime(envelope: CommandEnvelope, hubNowMs: number): void {
  if (hubNowMs > envelope.expiresAtMs + leewayMs) throw executeErrors.COMMAND_EXPIRED();
  if (hubNowMs < envelope.issuedAtMs - leewayMs) throw executeErrors.COMMAND_NOT_YET();
}

const types: ReadonlySet<string> = new Set([envelopeType, approvalEnvelopeType, proposalEnvelopeType]);

/** Files and Secrets are named by it. */
const commandId = /^cmd_[0-9a-z]{1,60}$/;

export const leewayMs: number = 5 * 60_000;

function explain(error: unknown): unknown {
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return executeErrors.COMMAND_UNSIGNED({
      detail: "its signature doesn't match the key that it names",
      cause: error,
    });
  if (error instanceof errors.JOSEAlgNotAllowed)
    return executeErrors.COMMAND_UNSIGNED({ detail: "it isn't signed with EdDSA", cause: error });
  if (error instanceof errors.JOSEError)
    return executeErrors.COMMAND_UNSIGNED({ detail: "it isn't a signed text", cause: error });
  return error;
}
