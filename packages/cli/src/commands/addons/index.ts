import type { Command } from "commander";
import type { OpenContext } from "../../context.ts";
import { addAddonsAdopt } from "./adopt.ts";
import { addAddonsImages } from "./images.ts";
import { addAddonsInstall } from "./install.ts";
import { addAddonsList } from "./list.ts";
import { addAddonsPlan } from "./plan.ts";
import { addAddonsRemove } from "./remove.ts";
import { addAddonsUpgrade } from "./upgrade.ts";

export function addAddonsCommands(program: Command, open: OpenContext): void {
  const addons = program.command("addons").description("install what a cluster needs to run workloads");
  addAddonsList(addons, open);
  addAddonsImages(addons, open);
  addAddonsPlan(addons, open);
  addAddonsInstall(addons, open);
  addAddonsUpgrade(addons, open);
  addAddonsAdopt(addons, open);
  addAddonsRemove(addons, open);
}
