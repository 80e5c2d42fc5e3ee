import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addApiResources } from "./api-resources.ts";
import { addChanges } from "./changes.ts";
import { addDescribe } from "./describe.ts";
import { addEvents } from "./events.ts";
import { addGet } from "./get.ts";
import { addTop } from "./top.ts";

export { formatMemory, formatShare } from "./capacity-text.ts";
export { addClusterOptions, type ClusterOptions, isOfOneCluster, toClusterFilter } from "./choice.ts";
export { describeAge, tellTroubles } from "./data-age.ts";
export { asList, asObject, asText } from "./fields.ts";
export { listAll } from "./list-all.ts";

export function addObjectCommands(program: Command, open: OpenContext): void {
  addGet(program, open);
  addDescribe(program, open);
  addEvents(program, open);
  addChanges(program, open);
  addTop(program, open);
  addApiResources(program, open);
}
