// The report for people, at 80 columns: addons, then what is wrong and what to do, then what that means for features, and
// the answer last, where it is seen.
import { type AddonReport, formatRef, type Installation, type TypeFinding } from "@fairlead/doctor";
import type { Output } from "../../output/index.ts";
import { type Examination, troublesOf } from "./examination.ts";
import { formatFeatures } from "./features-text.ts";
import { formatHidden } from "./hidden-text.ts";
import { cut, wrap } from "./lines.ts";
import { formatTrouble, formatUnknowns, isBareUnknown } from "./trouble-text.ts";

export function formatReport(examination: Examination, output: Output): string {
  const { report, read } = examination;
  const troubles = troublesOf(report);
  return [
    wrap(`Cluster type: ${describeType(report.clusterType)}. Profile: ${report.profile}.`, { indent: "  " }) +
      `Read: ${read.objects} objects of ${read.resources.length} kinds.\n`,
    formatAddons(report.addons, output),
    ...troubles.filter((trouble) => !isBareUnknown(trouble)).map((trouble) => formatTrouble(trouble, output)),
    ...formatUnknowns(troubles.filter(isBareUnknown), output),
    formatFeatures(report.features, output),
    formatHidden(examination),
    formatFitness(examination, output),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function describeType({ type, isOverridden, doubt, evidence: [first] }: TypeFinding): string {
  if (isOverridden) return `${type} (as you said)`;
  const why = first ? `${formatRef(first.object)} ${first.path}: ${first.observed}` : undefined;
  const said = [why, doubt].filter((part) => part !== undefined);
  return said.length === 0 ? type : `${type} (${said.join("; ")})`;
}

/** Those that make no sense for the cluster's type are left out, unless they are there. */
function formatAddons(addons: readonly AddonReport[], output: Output): string {
  const shown = addons.filter(({ need, state }) => need !== "unsupported" || !["absent", "unknown"].includes(state));
  const rows = shown.map(({ id, need, state, installation, isNotRunning }) => [
    cut(id, 28),
    need === "unsupported" ? "-" : need,
    colourOf(state, output)(isNotRunning ? `${state} (not running)` : state),
    cut(installation.version ?? "-", 10),
    describeProvenance(installation),
  ]);
  return rows.length === 0 ? "" : output.table(["ADDON", "NEED", "STATE", "VERSION", "BY"], rows);
}

function colourOf(state: AddonReport["state"], { colors }: Output): (text: string) => string {
  switch (state) {
    case "healthy":
    case "provider-managed":
      return colors.green;
    case "misconfigured":
      return colors.red;
    case "degraded":
    case "crds-only":
      return colors.yellow;
    case "absent":
    case "unknown":
      return (text) => text;
    default:
      return state satisfies never;
  }
}

function describeProvenance({ provenance }: Installation): string {
  return provenance?.is ?? "-";
}

function formatFitness({ fitness }: Examination, { colors }: Output): string {
  const reasons = fitness.because.map(({ addon, check, message }) =>
    wrap(`${check ?? addon}: ${message}`, { first: "  ", indent: "    " }),
  );
  switch (fitness.is) {
    case "fit":
      return `${colors.green("The cluster is fit.")}\n`;
    case "unfit":
      return `${colors.red("The cluster is not fit:")}\n${reasons.join("")}`;
    case "unjudged":
      return `${colors.yellow("Nobody can tell whether the cluster is fit:")}\n${reasons.join("")}`;
    default:
      return fitness.is satisfies never;
  }
}
