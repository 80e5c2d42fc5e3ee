import { isCommandKind } from "@fairlead/protocol";
import { executeErrors } from "../errors.ts";
import type { Task } from "../types.ts";
import type { FlowSpec } from "./types.ts";

/** Before anything is begun. Throws COMMAND_KIND_UNAVAILABLE. */
export function requireKinds({ spec, allowsKind }: Pick<Task<FlowSpec>, "spec" | "allowsKind">): void {
  for (const { kind } of spec.steps) requireKind({ allowsKind }, kind);
}

/** The policy of this cluster may have become another one since the flow began. */
export function requireKind({ allowsKind }: Pick<Task<unknown>, "allowsKind">, kind: string): void {
  // Waiting is no kind of command, and part of every flow.
  if (isCommandKind(kind) && !allowsKind(kind)) throw executeErrors.COMMAND_KIND_UNAVAILABLE({ kind });
}
