import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addStackCancel } from "./cancel.ts";
import { addStackDestroy } from "./destroy.ts";
import { addStackList } from "./list.ts";
import { addStackApply, addStackPlan } from "./run-file.ts";
import { addStackShow } from "./show.ts";

export function addStackCommands(program: Command, open: OpenContext): void {
  const stack = program.command("stack").description("Manage stacks: declared resources with dependencies");
  addStackPlan(stack, open);
  addStackApply(stack, open);
  addStackDestroy(stack, open);
  addStackShow(stack, open);
  addStackList(stack, open);
  addStackCancel(stack, open);
}
