import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { readTofuSpec } from "./read-tofu-spec.ts";
import { addRunKind } from "./run-kind.ts";

export function addRunTofu(run: Command, open: OpenContext): void {
  addRunKind(run, open, {
    kind: "tofu",
    description: "Plan or apply an OpenTofu configuration, with its state in the cluster",
    examples: ["fairlead run tofu -f network.yaml --cluster east --dry-run --follow"],
    fileHelp: "File with the spec in YAML or JSON; - for standard input",
    readSpec: readTofuSpec,
  });
}
