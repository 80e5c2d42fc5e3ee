import type { FlowSpec } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import type { Terminal } from "../../terminal.ts";
import { readMap } from "../read-map.ts";
import { takeFilesIn } from "./read-spec.ts";
import { addRunKind } from "./run-kind.ts";

export function addRunFlow(run: Command, open: OpenContext): void {
  addRunKind(run, open, {
    kind: "flow",
    description: "Run several steps one after another",
    examples: ["fairlead run flow -f release.yaml --cluster-selector env=prod --wait"],
    fileHelp: "File with the flow in YAML or JSON; - for standard input",
    readSpec: readFlow,
  });
}

/** Sets of manifests may name files, as they may where they stand alone. The hub checks the rest. */
async function readFlow(terminal: Pick<Terminal, "stdin">, file: string): Promise<FlowSpec> {
  const { steps, ...flow } = await readMap(terminal, file, { what: "a flow", example });
  if (!Array.isArray(steps)) throw usage(`${file} has no list of 'steps'.`, example);
  return { ...flow, steps: await Promise.all(steps.map((step) => readStep(step, file))) } as unknown as FlowSpec;
}

async function readStep(step: unknown, file: string): Promise<unknown> {
  if (typeof step !== "object" || step === null || !("manifests" in step)) return step;
  const { manifests } = step;
  if (typeof manifests !== "object" || manifests === null) return step;
  return { ...step, manifests: await takeFilesIn(manifests as Readonly<Record<string, unknown>>, file) };
}

const example = "It is written like: {name: release, steps: [{id: apply, manifests: {set: web, files: [web.yaml]}}]}";
