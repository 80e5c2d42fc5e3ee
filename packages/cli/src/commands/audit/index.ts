import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addAuditList } from "./list.ts";
import { addRecordings } from "./recordings.ts";
import { addReplay } from "./replay.ts";
import { addVerify } from "./verify.ts";

export function addAuditCommands(program: Command, open: OpenContext): void {
  const audit = program.command("audit").description("see what was asked of the hub and its clusters, and by whom");
  addAuditList(audit, open);
  addVerify(audit, open);
  const recording = audit.command("recording").description("List and replay recorded sessions.");
  addRecordings(recording, open);
  addReplay(recording, open);
}
