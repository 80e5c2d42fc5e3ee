import type { RunResult, Task } from "../types.ts";
import { rollBack } from "./actions/roll-back.ts";
import { runTests } from "./actions/run-tests.ts";
import { uninstall } from "./actions/uninstall.ts";
import { upgrade } from "./actions/upgrade.ts";
import { begin } from "./begin.ts";
import { dropRendering } from "./kept/kept-rendering.ts";
import type { HelmSpec } from "./types.ts";
import { wishForHelm } from "./wish.ts";

export async function runHelm(task: Task<HelmSpec>): Promise<RunResult> {
  const result = await act(task);
  await dropRendering(task).catch(() => task.log.line("the key of the kept plan couldn't be removed"));
  return result;
}

async function act(task: Task<HelmSpec>): Promise<RunResult> {
  await using programs = await task.openPrograms(wishForHelm(task, "apply"));
  const begun = await begin(task, programs);
  const { action } = task.spec;
  switch (action.type) {
    case "upgrade":
      return await upgrade(begun, action);
    case "uninstall":
      return await uninstall(begun, action);
    case "rollback":
      return await rollBack(begun, action);
    case "test":
      return await runTests(begun);
  }
}
