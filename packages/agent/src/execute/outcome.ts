// The outcome of a command. Exactly one is recorded for each.
import { createHash } from "node:crypto";
import { type FairleadError, internalErrors, toFairleadError } from "@fairlead/kernel";
import { KnownSecrets, Masked } from "../redact/index.ts";
import { executeErrors } from "./errors.ts";
import type { RunResult } from "./types.ts";

export interface Outcome {
  readonly state: "succeeded" | "failed" | "cancelled" | "refused";
  readonly code: string;
  readonly message: Masked;
  readonly hint: Masked;
  /** JSON; empty for none. */
  readonly result: Masked;
  /** The bytes of the log when it ended. */
  readonly logBytes: number;
}

/** Nothing was done. */
export function refusal(error: FairleadError): Outcome {
  return { state: "refused", ...maskError(new KnownSecrets(), error), result: Masked.nothing, logBytes: 0 };
}

/** Undefined for a run that is not at its end: the claim is lost, or the agent stops. */
export function outcomeOf(
  ended: { readonly result?: RunResult | undefined; readonly error?: unknown },
  secrets: KnownSecrets,
): Omit<Outcome, "logBytes"> | undefined {
  const { result } = ended;
  const failure = result?.failure ?? ("error" in ended ? toFairleadError(ended.error) : undefined);
  if (failure !== undefined && executeErrors.is(failure, "COMMAND_LEASE_LOST", "COMMAND_AGENT_STOPS")) return undefined;
  const json = result === undefined ? Masked.nothing : toResultJson(secrets, result.json);
  const isTooLarge = json === undefined;
  const tooLarge = isTooLarge ? executeErrors.COMMAND_RESULT_TOO_LARGE({ limitBytes: mostResultBytes }) : undefined;
  const said = failure ?? tooLarge;
  const told = said === undefined ? saysNothing : maskError(secrets, said);
  return { state: stateOf(failure), ...told, result: json ?? Masked.nothing };
}

/** Nothing was done. */
const refusals = ["COMMAND_SPEC_INVALID", "COMMAND_KIND_UNAVAILABLE", "COMMAND_ACCOUNT_FORBIDDEN"] as const;

function stateOf(failure: FairleadError | undefined): Outcome["state"] {
  if (failure === undefined) return "succeeded";
  if (executeErrors.is(failure, "COMMAND_CANCELLED")) return "cancelled";
  return executeErrors.is(failure, ...refusals) ? "refused" : "failed";
}

export function digestOf(outcome: Outcome): string {
  return createHash("sha256").update(JSON.stringify(outcome)).digest("hex");
}

/** The error's code, and its message and hint, masked. */
export function maskError(secrets: KnownSecrets, error: FairleadError): Pick<Outcome, "code" | "message" | "hint"> {
  // An unexpected error's message may hold anything, so only the agent's own log has it.
  const { code, message, hint = "" } = internalErrors.is(error) ? executeErrors.COMMAND_FAILED() : error;
  // Masked first: no mask finds a value of which a part is missing.
  const mask = (text: string): Masked => Masked.text(secrets, text).first(mostTextLength);
  return { code, message: mask(message), hint: mask(hint) };
}

/** Undefined for one that is too large. */
export function toResultJson(secrets: KnownSecrets, value: unknown): Masked | undefined {
  const json = Masked.json(secrets, value);
  return json.bytes.length > mostResultBytes ? undefined : json;
}

/** The hub keeps no larger ones. */
export const mostResultBytes: number = 1024 * 1024;
const mostTextLength = 4_096;
const saysNothing = { code: "", message: Masked.nothing, hint: Masked.nothing };
