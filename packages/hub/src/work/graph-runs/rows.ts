// What rows of all kinds of runs have in common.
import type { CommandTrouble } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { AbsentAsker } from "../../people/access/index.ts";
import type { Idempotency } from "../commands/index.ts";
import type { NodeState } from "./node-state.ts";

export interface GraphRunRow {
  readonly id: string;
  readonly requester: string;
  readonly asker: string;
  readonly max_parallel: number | null;
  readonly version: number;
  readonly by_whom: string | null;
  readonly cancellation: "graceful" | "forced" | null;
  readonly idempotency_digest: string | null;
}

export interface Trouble {
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
}

export function toTroubleColumns({ code, message, hint }: FairleadError): Trouble {
  return { code, message, hint: hint ?? null };
}

/** As people see it. */
export function toTrouble({ code, message, hint }: Trouble): { readonly trouble?: CommandTrouble } {
  return code === null ? {} : { trouble: { code, message: message ?? "", ...(hint === null ? {} : { hint }) } };
}

export function toNodeState(is: NodeState["is"], command: string | null): NodeState {
  if (is === "waiting") return { is };
  if (is === "running") return { is, command: command ?? "" };
  return command === null ? { is } : { is, command };
}

/** Columns of a new run that say who asked for it, and how. */
export function toAskedColumns(asked: {
  readonly requester: AbsentAsker;
  readonly maxParallel: number | undefined;
  readonly idempotency: Idempotency | undefined;
}): AskedColumns {
  const { requester, maxParallel, idempotency } = asked;
  const { kind, name, uid, tokenId, scope } = requester;
  return {
    requester: name,
    requester_uid: uid,
    asker: JSON.stringify({ kind, name, uid, tokenId, scope }),
    max_parallel: maxParallel ?? null,
    idempotency_key: idempotency?.key ?? null,
    idempotency_digest: idempotency?.digest ?? null,
  };
}

type AskedColumns = Pick<GraphRunRow, "requester" | "asker" | "max_parallel" | "idempotency_digest"> & {
  readonly requester_uid: string;
  readonly idempotency_key: string | null;
};
