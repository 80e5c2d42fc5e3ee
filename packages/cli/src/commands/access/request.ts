// The words that `explain` and `who-can` take: the same for both, in the same order.
import type { Command } from "../../command.ts";

export interface RequestOptions {
  readonly cluster?: string;
  readonly namespace?: string;
}

export function addRequest(command: Command): Command {
  return command
    .argument("<verb>", "Verb as in RBAC, for example get, list, create or delete")
    .argument(
      "<resource>",
      "Resource, for example pods, deployments.apps or pods/exec; without --cluster one of the hub, for example clusters",
    )
    .option("--cluster <cluster>", "Cluster to ask about")
    .option("-n, --namespace <namespace>", "Namespace to ask about (default: all namespaces)");
}
