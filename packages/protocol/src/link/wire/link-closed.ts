import type { FairleadError } from "@fairlead/kernel";

/** The reason why a connection or a whole link ended. */
export type LinkClosed =
  | { readonly reason: "closed-by-us" }
  | { readonly reason: "closed-by-peer"; readonly code: number; readonly text: string }
  | { readonly reason: "dead-peer"; readonly silentMs: number }
  | { readonly reason: "violation"; readonly error: FairleadError }
  | { readonly reason: "socket-error"; readonly error: FairleadError };
