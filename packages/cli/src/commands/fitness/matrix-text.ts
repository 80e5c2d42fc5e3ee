import type { Output } from "../../output/index.ts";
import { describeAge } from "../objects/index.ts";
import type { Drift } from "./find-drift.ts";
import type { AddonVersion } from "./judge-versions.ts";
import { type ClusterExamination, examinationKind } from "./read-examinations.ts";

/** Has a line for each cluster: whether it is fit, and how many verdicts there are. Those that aren't fit come first. */
export function fitnessTable(output: Output, clusters: readonly ClusterExamination[]): string {
  const heading = ["CLUSTER", "FITNESS", "TYPE", "PASS", "WARN", "FAIL", "UNKNOWN", "AGE-OF-DATA"];
  return output.table(
    heading,
    worstFirst(clusters).map(({ cluster, age, found }) => [
      output.safe(cluster),
      paintState(output, found?.fitness ?? "unknown"),
      output.safe(found?.clusterType ?? "-"),
      ...(["pass", "warn", "fail", "unknown"] as const).map((verdict) =>
        found ? String(found.verdicts[verdict]) : "-",
      ),
      describeAge(output, age, examinationKind),
    ]),
  );
}

/** Why a cluster can be fit although features are blocked in it; nothing where none is. */
export function explainFit(output: Output, clusters: readonly ClusterExamination[]): string {
  const blocked = clusters.flatMap(({ cluster, found }) => {
    const count = found?.features.filter(({ state }) => state === "blocked").length ?? 0;
    return found?.fitness === "fit" && count > 0 ? [`${count} of ${found.features.length} in ${cluster}`] : [];
  });
  if (blocked.length === 0) return "";
  return `${output.safe(`Fit means that each required check passes and each essential addon is there. Features that need optional addons may be blocked all the same: ${nameSome(blocked)} ('fairlead feature list' says which).`)}\n`;
}

function worstFirst(clusters: readonly ClusterExamination[]): ClusterExamination[] {
  const rankOf = ({ found }: ClusterExamination) => ranks.indexOf(found?.fitness ?? "unknown");
  return clusters.toSorted((one, other) => rankOf(one) - rankOf(other));
}

const ranks = ["unfit", "unjudged", "unknown", "fit"];

/** A row for each state that addons of a cluster have, and of those that matter unless all are wanted. */
export function addonTable(output: Output, clusters: readonly ClusterExamination[], showsAll: boolean): string {
  const rows = worstFirst(clusters).flatMap(({ cluster, found }) => {
    const shown = (found?.addons ?? []).filter((addon) => showsAll || matters(addon));
    const byState = Map.groupBy(shown, ({ state }) => state);
    const states = [...byState.keys()].toSorted((one, other) => addonStates.indexOf(one) - addonStates.indexOf(other));
    return states.map((state) => {
      const names = (byState.get(state) ?? []).map(({ id, version }) =>
        version === undefined ? id : `${id} ${version}`,
      );
      return [
        output.safe(cluster),
        paintState(output, state),
        output.safe(showsAll ? names.join(", ") : nameSome(names)),
      ];
    });
  });
  return rows.length === 0 ? "" : output.table(["CLUSTER", "STATE", "ADDONS"], rows);
}

/** Something is wrong with an addon that is there, or an essential one may not be. */
function matters({ need, state }: { readonly need: string; readonly state: string }): boolean {
  if (state === "misconfigured" || state === "degraded") return true;
  return need === "essential" && ["absent", "crds-only", "unknown"].includes(state);
}

const addonStates = ["misconfigured", "degraded", "crds-only", "unknown", "absent", "provider-managed", "healthy"];

/** A row for each name and a column for each cluster; with many clusters a row for each of those that need a look. */
export function matrixTable(
  output: Output,
  options: {
    readonly heading: string;
    readonly clusters: readonly ClusterExamination[];
    readonly cellsOf: (cluster: ClusterExamination) => ReadonlyMap<string, Cell>;
  },
): string {
  const { heading, clusters, cellsOf } = options;
  const cells = new Map(clusters.map((each) => [each.cluster, cellsOf(each)]));
  if (clusters.length > mostColumns) return listTable(output, heading, cells);
  const names = [...new Set([...cells.values()].flatMap((own) => [...own.keys()]))].toSorted();
  return output.table(
    [heading, ...clusters.map(({ cluster }) => output.safe(cluster))],
    names.map((name) => [
      output.safe(name),
      ...clusters.map(({ cluster }) => formatCell(output, cells.get(cluster)?.get(name))),
    ]),
  );
}

export interface Cell {
  readonly state: string;
  readonly detail?: string | undefined;
}

function listTable(output: Output, heading: string, cells: ReadonlyMap<string, ReadonlyMap<string, Cell>>): string {
  const rows = [...cells].map(([cluster, own]) => {
    const bad = [...own].filter(([, { state }]) => toneOf(state) !== "good" && state !== "absent");
    return [
      output.safe(cluster),
      bad.map(([name, { state }]) => `${output.safe(name)} ${paintState(output, state)}`).join(", ") || "-",
    ];
  });
  return output.table(["CLUSTER", `${heading}S THAT AREN'T WELL`], rows);
}

function formatCell(output: Output, cell: Cell | undefined): string {
  if (!cell) return paintState(output, "unknown");
  return cell.detail ? `${paintState(output, cell.state)} ${output.safe(cell.detail)}` : paintState(output, cell.state);
}

export function driftLines(output: Output, drifts: readonly Drift[]): string {
  return drifts
    .map(({ addon, ways }) => {
      const parts = ways.map(({ way, clusters }) => `${way} in ${nameSome(clusters)}`);
      return output.safe(`${addon}: ${parts.join("; ")}`);
    })
    .map((line) => `  ${line}\n`)
    .join("");
}

/** Without those that are within their range, and addons for which the catalogue has no chart. */
export function versionLines(output: Output, versions: readonly AddonVersion[]): string {
  const lines = [...Map.groupBy(versions, ({ addon }) => addon)].flatMap(([addon, own]) => {
    const range = own[0]?.range;
    if (range === undefined) return [];
    const parts = (["behind", "ahead", "unknown"] as const).flatMap((standing) => {
      const some = own.filter((each) => each.standing === standing);
      return some.length === 0 ? [] : [`${standing} in ${nameSome(some.map(nameVersion))}`];
    });
    return parts.length === 0 ? [] : [output.safe(`${addon} (chart ${range}): ${parts.join("; ")}`)];
  });
  return lines.map((line) => `  ${line}\n`).join("");
}

function nameVersion({ cluster, version, chartVersion }: AddonVersion): string {
  const found = chartVersion === undefined ? version : `chart ${chartVersion}`;
  return found === undefined ? cluster : `${cluster} (${found})`;
}

function nameSome(names: readonly string[]): string {
  const more = names.length - mostNames;
  return names.slice(0, mostNames).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

export function paintState(output: Output, state: string): string {
  const { green, yellow, red } = output.colors;
  const safe = output.safe(state);
  switch (toneOf(state)) {
    case "good":
      return green(safe);
    case "doubtful":
      return yellow(safe);
    case "bad":
      return red(safe);
    case "plain":
      return safe;
  }
}

type Tone = "good" | "doubtful" | "bad" | "plain";

function toneOf(state: string): Tone {
  if (["healthy", "provider-managed", "available", "fit", "pass"].includes(state)) return "good";
  if (["degraded", "unknown", "unjudged", "crds-only", "warn"].includes(state)) return "doubtful";
  return ["misconfigured", "blocked", "unfit", "fail"].includes(state) ? "bad" : "plain";
}

const mostColumns = 8;
const mostNames = 5;
