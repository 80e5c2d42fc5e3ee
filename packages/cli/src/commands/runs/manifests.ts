import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { readSpec } from "./read-spec.ts";
import { addRunKind } from "./run-kind.ts";

export function addRunManifests(run: Command, open: OpenContext): void {
  addRunKind(run, open, {
    kind: "manifests",
    description: "apply a set of manifests in clusters",
    fileHelp: "the set, as YAML or JSON; - for standard input",
    readSpec,
  });
}
