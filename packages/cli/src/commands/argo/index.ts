import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addApplicationCreate } from "./create.ts";
import { addApplicationDelete } from "./delete.ts";
import { addApplicationDiff } from "./diff.ts";
import { addApplicationGet } from "./get.ts";
import { addApplicationHistory } from "./history.ts";
import { addApplicationList } from "./list.ts";
import { addApplicationLogs } from "./logs.ts";
import { addArgoObjectCommands } from "./objects.ts";
import { addApplicationRollback } from "./rollback.ts";
import { addApplicationSet } from "./set.ts";
import { addApplicationRefresh, addApplicationSync, addApplicationTerminate } from "./sync.ts";
import { addApplicationWait } from "./wait.ts";

export function addArgoCommands(program: Command, open: OpenContext): void {
  const argo = program.command("argo").description("Manage Argo CD across clusters");
  const app = argo.command("app").description("Manage Argo CD applications");
  addApplicationList(app, open);
  addApplicationGet(app, open);
  addApplicationDiff(app, open);
  addApplicationCreate(app, open);
  addApplicationSet(app, open);
  addApplicationSync(app, open);
  addApplicationWait(app, open);
  addApplicationRefresh(app, open);
  addApplicationTerminate(app, open);
  addApplicationHistory(app, open);
  addApplicationLogs(app, open);
  addApplicationRollback(app, open);
  addApplicationDelete(app, open);
  addArgoObjectCommands(argo, open);
}
