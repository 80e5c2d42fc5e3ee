import type { Command } from "../command.ts";
import type { OpenContext } from "../context.ts";
import { addClusterAttach } from "./attach/index.ts";
import { addClusterAdd } from "./cluster-add.ts";
import { addClusterAlarms } from "./cluster-alarms.ts";
import { addClusterConfirm } from "./cluster-confirm.ts";
import { addClusterList } from "./cluster-list.ts";
import { addClusterRemove } from "./cluster-remove.ts";
import { addClusterRevoke } from "./cluster-revoke.ts";
import { addClusterScaffold } from "./cluster-scaffold.ts";
import { addClusterSet } from "./cluster-set.ts";
import { addClusterShow } from "./cluster-show.ts";
import { addClusterToken } from "./cluster-token.ts";
import { addClusterUpgrade } from "./cluster-upgrade/index.ts";

export function addClusterCommands(program: Command, open: OpenContext): void {
  const cluster = program.command("cluster").description("Manage clusters");
  addClusterAdd(cluster, open);
  addClusterAttach(cluster, open);
  addClusterUpgrade(cluster, open);
  addClusterList(cluster, open);
  addClusterShow(cluster, open);
  addClusterAlarms(cluster, open);
  addClusterConfirm(cluster, open);
  addClusterSet(cluster, open);
  addClusterToken(cluster, open);
  addClusterRevoke(cluster, open);
  addClusterRemove(cluster, open);
  addClusterScaffold(cluster, open);
}
