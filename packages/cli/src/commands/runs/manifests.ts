import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { readSpec } from "./read-spec.ts";
import { addRunKind } from "./run-kind.ts";

export function addRunManifests(run: Command, open: OpenContext): void {
  addRunKind(run, open, {
    kind: "manifests",
    description: "Apply a set of manifests",
    examples: [
      "fairlead run manifests -f web.yaml --cluster east --wait",
      "fairlead run manifests -f web.yaml --all-clusters --waves 1,10%,rest --follow",
    ],
    fileHelp: "File with the set in YAML or JSON; - for standard input",
    readSpec,
  });
}
