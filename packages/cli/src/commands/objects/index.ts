import type { Command } from "commander";
import type { OpenContext } from "../../context.ts";
import { addGet } from "./get.ts";

export function addObjectCommands(program: Command, open: OpenContext): void {
  addGet(program, open);
}
