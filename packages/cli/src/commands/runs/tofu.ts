import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { readTofuSpec } from "./read-tofu-spec.ts";
import { addRunKind } from "./run-kind.ts";

export function addRunTofu(run: Command, open: OpenContext): void {
  addRunKind(run, open, {
    kind: "tofu",
    description: "make what a configuration of OpenTofu describes, with its state in the cluster",
    fileHelp: "the spec, as YAML or JSON; - for standard input",
    readSpec: readTofuSpec,
  });
}
