import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addAuditList } from "./list.ts";
import { addRecordings } from "./recordings.ts";
import { addReplay } from "./replay.ts";
import { addVerify } from "./verify.ts";

export function addAuditCommands(program: Command, open: OpenContext): void {
  const audit = program.command("audit").description("See who requested what of the hub and its clusters");
  addAuditList(audit, open);
  addVerify(audit, open);
  const recording = audit.command("recording").description("Manage recorded sessions");
  addRecordings(recording, open);
  addReplay(recording, open);
}
