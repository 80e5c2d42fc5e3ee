// The history of commands.
import type { CommandStateName, CommandStep } from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

export interface NewStep {
  readonly command: string;
  /** Somebody's name, `agent …`, or `hub`. */
  readonly actor: string;
  readonly from?: CommandStateName | undefined;
  readonly to: CommandStateName;
  readonly reason?: string | undefined;
}

/** Oldest first. There are few: claims are bounded, and each goes forward only. */
export async function listSteps(db: Kysely<Tables>, command: string): Promise<CommandStep[]> {
  const rows = await db
    .selectFrom("command_step")
    .select(["at", "actor", "from_state", "to_state", "reason"])
    .where("command", "=", command)
    .orderBy("id")
    .execute();
  return rows.map(({ at, actor, from_state, to_state, reason }) => ({
    at: at.toISOString(),
    actor,
    ...(from_state === null ? {} : { from: from_state }),
    to: to_state,
    ...(reason === null ? {} : { reason }),
  }));
}
