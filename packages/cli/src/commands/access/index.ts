import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addAccessRequestCommands } from "./access-requests.ts";
import { addBindingCommands } from "./bindings.ts";
import { addExplain } from "./explain.ts";
import { addRobotCommands } from "./robots.ts";
import { addRoleCommands } from "./roles.ts";
import { addSessionCommands } from "./sessions.ts";
import { addUserCommands } from "./users.ts";
import { addWhoCan } from "./who-can.ts";

export function addAccessCommands(program: Command, open: OpenContext): void {
  const access = program.command("access").description("Manage access");
  addExplain(access, open);
  addWhoCan(access, open);
  addRoleCommands(access, open);
  addBindingCommands(access, open);
  addAccessRequestCommands(access, open);
  addUserCommands(access, open);
  addSessionCommands(access, open);
  addRobotCommands(access, open);
}
