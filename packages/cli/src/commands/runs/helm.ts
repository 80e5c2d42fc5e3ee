import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { readHelmSpec } from "./read-helm-spec.ts";
import { addRunKind } from "./run-kind.ts";

export function addRunHelm(run: Command, open: OpenContext): void {
  addRunKind(run, open, {
    kind: "helm",
    description: "install, upgrade, roll back, test or uninstall a release of a chart in clusters",
    fileHelp: "the release, as YAML or JSON; - for standard input",
    readSpec: readHelmSpec,
  });
}
