import { runFuzzers } from "../test/hardening/fuzz/index.ts";
import type { ExperimentOptions } from "./experiment.ts";

export async function chaosFuzz(options: ExperimentOptions): Promise<boolean> {
  const { seed, seconds = 600, onProgress } = options;
  const { cases, broken } = await runFuzzers({ seed, seconds, onProgress });
  const tried = Object.entries(cases).map(([parser, count]) => `${count} of ${parser}`);
  onProgress(`tried ${tried.join(", ")}; ${broken.length} broken`);
  return broken.length === 0;
}
