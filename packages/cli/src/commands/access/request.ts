// The words that `explain` and `who-can` take: the same for both, in the same order.
import type { Command } from "../../command.ts";

export interface RequestOptions {
  readonly cluster?: string;
  readonly namespace?: string;
}

export function addRequest(command: Command): Command {
  return command
    .argument("<verb>", "as in RBAC: get, list, create, delete …")
    .argument(
      "<resource>",
      "pods, deployments.apps, pods/exec; without --cluster one of the hub's own, such as clusters",
    )
    .option("--cluster <cluster>", "in which cluster")
    .option("-n, --namespace <namespace>", "in which namespace (default: all of them)");
}
