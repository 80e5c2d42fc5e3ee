import { parentPort, workerData } from "node:worker_threads";
import fc from "fast-check";
import { fuzzers } from "./index.ts";

export type Progress =
  | { readonly is: "begun"; readonly parser: string; readonly rule: string; readonly seed: number }
  | { readonly is: "tried"; readonly parser: string; readonly cases: number; readonly failure: string | undefined };

const { seed, input: shared } = workerData as { readonly seed: number; readonly input: Uint8Array };

for (let round = seed; ; round += 1) {
  for (const { parser, rules } of fuzzers) {
    for (const rule of rules) {
      tell({ is: "begun", parser, rule: rule.name, seed: round });
      const { cases, failure } = await rule.try({ seed: round, onInput: note });
      tell({ is: "tried", parser, cases, failure });
    }
  }
}

function note(input: unknown): void {
  const { written } = new TextEncoder().encodeInto(fc.stringify(input), shared);
  shared.fill(0, written, written + 1);
}

function tell(progress: Progress): void {
  parentPort?.postMessage(progress);
}
