// The kinds for which a request, or a command that is there, needs rights. A flow is no way around the rights on what its
// steps do.
import { type CommandKindName, type FlowSpec, type KindAndSpec, stepKindsOf } from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

export function kindsOfRequest({ kind, spec }: KindAndSpec): readonly CommandKindName[] {
  return kind === "flow" ? [kind, ...stepKindsOf(spec)] : [kind];
}

export async function kindsOfCommand(
  db: Kysely<Tables>,
  { id, kind }: { readonly id: string; readonly kind: string },
): Promise<readonly string[]> {
  if (kind !== "flow") return [kind];
  const { spec } = await db.selectFrom("command").select("spec").where("id", "=", id).executeTakeFirstOrThrow();
  return kindsOfClaimed({ kind, spec });
}

export function kindsOfClaimed({ kind, spec }: { readonly kind: string; readonly spec: string }): readonly string[] {
  return kind === "flow" ? [kind, ...stepKindsOf(JSON.parse(spec) as FlowSpec)] : [kind];
}
