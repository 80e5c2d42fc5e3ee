import type { Command } from "commander";
import type { OpenContext } from "../../context.ts";
import { addAuditList } from "./list.ts";
import { addRecordings } from "./recordings.ts";
import { addReplay } from "./replay.ts";
import { addVerify } from "./verify.ts";

export function addAuditCommands(program: Command, open: OpenContext): void {
  const audit = program.command("audit").description("see what was asked of the hub and its clusters, and by whom");
  addAuditList(audit, open);
  addVerify(audit, open);
  addRecordings(audit, open);
  addReplay(audit, open);
}
