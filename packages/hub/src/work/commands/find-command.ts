import type { Principal } from "../../people/access/index.ts";
import { isCommandId } from "./command-id.ts";
import { commandErrors } from "./errors.ts";
import type { CommandRights, CommandVerb } from "./rights.ts";
import type { CommandRow } from "./rows.ts";
import type { CommandStore } from "./store.ts";

/** Throws COMMAND_NOT_FOUND also to people who may not see the command, and ACCESS_DENIED. */
export async function findCommand(
  { store, rights }: { readonly store: Pick<CommandStore, "find">; readonly rights: CommandRights },
  asked: { readonly principal: Principal; readonly id: string; readonly verb: CommandVerb },
): Promise<CommandRow> {
  const { principal, id, verb } = asked;
  const row = isCommandId(id) ? await store.find(id) : undefined;
  if (!row || !rights.may(principal, "get", row)) throw commandErrors.COMMAND_NOT_FOUND();
  rights.require(principal, verb, row);
  return row;
}
