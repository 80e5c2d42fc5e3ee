import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { readHelmSpec } from "./read-helm-spec.ts";
import { addRunKind } from "./run-kind.ts";

export function addRunHelm(run: Command, open: OpenContext): void {
  addRunKind(run, open, {
    kind: "helm",
    description: "Install, upgrade, roll back, test or uninstall a Helm release",
    examples: ["fairlead run helm -f shop.yaml --cluster east --approval --wait"],
    fileHelp: "File with the release in YAML or JSON; - for standard input",
    readSpec: readHelmSpec,
  });
}
