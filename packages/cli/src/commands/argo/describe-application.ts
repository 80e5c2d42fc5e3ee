import type { ApplicationDetail } from "@fairlead/contract";
import { stringify } from "yaml";
import type { Output } from "../../output/index.ts";

export function describeApplication(output: Output, application: ApplicationDetail): string {
  const { cluster, namespace, name, project, mode, sync, health, phase, revision, reconciledAt, spec } = application;
  const facts = [
    ["Application:", `${cluster}/${namespace}/${name}`],
    ["Project:", project],
    ["Mode:", mode],
    ["Sync:", revision === "" ? sync : `${sync} (${revision})`],
    ["Health:", health],
    ["Operation:", phase],
    ["Seen:", reconciledAt ?? ""],
  ].map(([label = "", text]) => [label, output.safe(text)]);
  const lines = stringify(spec, { lineWidth: 0 }).trimEnd().split("\n");
  return `${output.table(undefined, facts)}\nSpec:\n${lines.map((line) => `  ${output.safe(line)}\n`).join("")}`;
}
