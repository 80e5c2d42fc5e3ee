// Reads the fields that agents' calls have in common.
import type { FairleadError } from "@fairlead/kernel";
import { isCommandId } from "./command-id.ts";
import { commandErrors } from "./errors.ts";

export function readInstance(text: string): string {
  if (!/^[\x20-\x7e]{1,128}$/.test(text)) throw callInvalid("it doesn't say which agent calls");
  return text;
}

export function readId(text: string): string {
  if (!isCommandId(text)) throw callInvalid("it names no command");
  return text;
}

/** Larger ones than a column holds are nobody's. */
export function toCount(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw callInvalid("a number in it is too large");
  return Number(value);
}

export function callInvalid(reason: string): FairleadError {
  return commandErrors.COMMAND_CALL_INVALID({ reason });
}
