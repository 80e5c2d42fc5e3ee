// The outcome of a command. Exactly one is recorded for each.
import { createHash } from "node:crypto";
import { type FairleadError, internalErrors, toFairleadError } from "@fairlead/kernel";
import { type KnownSecrets, redactJson, redactText } from "../redact/index.ts";
import { executeErrors } from "./errors.ts";
import type { RunResult } from "./types.ts";

export interface Outcome {
  readonly state: "succeeded" | "failed" | "cancelled" | "refused";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** JSON; empty for none. */
  readonly result: string;
  /** The bytes of the log when it ended. */
  readonly logBytes: number;
}

/** Nothing was done. */
export function refusal(error: FairleadError): Outcome {
  return { state: "refused", ...describe(error), result: "", logBytes: 0 };
}

/** Undefined for a run that is not at its end: the claim is lost, or the agent stops. */
export function outcomeOf(
  ended: { readonly result?: RunResult | undefined; readonly error?: unknown },
  secrets: KnownSecrets,
): Omit<Outcome, "logBytes"> | undefined {
  const { result } = ended;
  const failure = result?.failure ?? ("error" in ended ? toFairleadError(ended.error) : undefined);
  if (failure !== undefined && executeErrors.is(failure, "COMMAND_LEASE_LOST", "COMMAND_AGENT_STOPS")) return undefined;
  const json = result === undefined ? "" : toResultJson(secrets, result.json);
  const isTooLarge = json === undefined;
  const tooLarge = isTooLarge ? executeErrors.COMMAND_RESULT_TOO_LARGE({ limitBytes: mostResultBytes }) : undefined;
  const said = failure ?? tooLarge;
  const { code = "", message = "", hint = "" } = said === undefined ? {} : describe(said);
  return {
    state: stateOf(failure),
    code,
    message: redactText(secrets, message),
    hint: redactText(secrets, hint),
    result: json ?? "",
  };
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

function describe(error: FairleadError): { code: string; message: string; hint: string } {
  // An unexpected error's message may hold anything, so only the agent's own log has it.
  const { code, message, hint = "" } = internalErrors.is(error) ? executeErrors.COMMAND_FAILED() : error;
  return { code, message: message.slice(0, mostTextLength), hint: hint.slice(0, mostTextLength) };
}

/** Undefined for one that is too large. */
export function toResultJson(secrets: KnownSecrets, value: unknown): string | undefined {
  const json = JSON.stringify(redactJson(secrets, value) ?? null);
  return Buffer.byteLength(json) > mostResultBytes ? undefined : json;
}

/** The hub keeps no larger ones. */
export const mostResultBytes: number = 1024 * 1024;
const mostTextLength = 4_096;
