import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addUpgradeOptions, type UpgradeOptions } from "./options.ts";

export function addClusterUpgrade(cluster: Command, open: OpenContext): void {
  const upgrade = cluster
    .command("upgrade")
    .prints("cluster")
    .description("Show agents' versions beside the hub's, or upgrade agents by Helm in waves")
    .examples(
      "fairlead cluster upgrade",
      "fairlead cluster upgrade --all-clusters --chart charts/fairlead-agent --dry-run",
      "fairlead cluster upgrade --cluster-selector env=prod --chart oci://registry.example.com/charts/fairlead-agent --chart-version 0.2.0 --waves 1,10%,rest",
    );
  addUpgradeOptions(upgrade).action(async (options: UpgradeOptions, command: Command) => {
    const { upgradeClusters } = await import("./cluster-upgrade.ts");
    await upgradeClusters(open(command), options);
  });
}
