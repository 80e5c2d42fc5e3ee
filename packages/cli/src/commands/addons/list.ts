import type { Addon } from "@fairlead/doctor";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";

export function addAddonsList(addons: Command, open: OpenContext): void {
  addons
    .command("list")
    .prints("addon")
    .formerly("addons list")
    .description("List the addons of the catalogue with their charts")
    .examples("fairlead addon list")
    .action((_options: object, command: Command) => listAddons(open(command)));
}

async function listAddons({ output }: CommandContext): Promise<void> {
  const { catalogue } = await import("@fairlead/doctor");
  output.answer({ items: catalogue.map(toItem) }, () => output.table(heading, catalogue.map(toRow)));
}

const heading = ["ADDON", "TITLE", "ESSENTIAL FOR", "CHART", "NAMESPACE"];

function toItem({ id, title, need, unlocks, install }: Addon) {
  const { values: _values, ...chart } = install ?? { values: undefined };
  return { id, title, need, unlocks, ...(install && { install: chart }) };
}

function toRow({ id, title, need, install }: Addon): string[] {
  const essential = Object.entries(need).flatMap(([type, each]) => (each === "essential" ? [type] : []));
  return [
    id,
    title,
    essential.join(",") || "-",
    install ? `${install.chart} ${install.version}` : "-",
    install?.namespace ?? "-",
  ];
}
