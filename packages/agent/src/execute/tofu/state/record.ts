import type { Task } from "../../types.ts";
import type { TofuSpec, TofuState } from "../types.ts";

export function readState({ state }: Pick<Task<TofuSpec>, "state">): TofuState {
  return (state.read() ?? {}) as TofuState;
}

/** Members that the change doesn't name stay. */
export async function writeState(task: Pick<Task<TofuSpec>, "state">, change: TofuState): Promise<void> {
  await task.state.write({ ...readState(task), ...change });
}
