import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addAddonsAdopt } from "./adopt.ts";
import { addAddonsImages } from "./images.ts";
import { addAddonsInstall } from "./install.ts";
import { addAddonsList } from "./list.ts";
import { addAddonsPlan } from "./plan.ts";
import { addAddonsRemove } from "./remove.ts";
import { addAddonsUpgrade } from "./upgrade.ts";

export function addAddonsCommands(program: Command, open: OpenContext): void {
  const addon = program.command("addon").description("Install what a cluster needs to run workloads");
  addAddonsList(addon, open);
  addAddonsImages(addon, open);
  addAddonsPlan(addon, open);
  addAddonsInstall(addon, open);
  addAddonsUpgrade(addon, open);
  addAddonsAdopt(addon, open);
  addAddonsRemove(addon, open);
}
