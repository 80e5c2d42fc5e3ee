import type { Outcome } from "../outcome.ts";
import type { OwedLog } from "./types.ts";

/** Undefined where there is no log, or nobody knows where it is. */
export function owedLog({ logBytes: bytes }: Outcome, spool: string | undefined): OwedLog | undefined {
  return spool === undefined || bytes === 0 ? undefined : { spool, bytes };
}
