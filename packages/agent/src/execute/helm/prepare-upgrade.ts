import type { Release } from "@fairlead/kube";
import type { Begun } from "./begin.ts";
import { type Chart, fetchChart } from "./chart/fetch-chart.ts";
import { placeOfChart } from "./chart/name-chart.ts";
import { deployedOf } from "./earlier.ts";
import type { UpgradeAction } from "./types.ts";
import { gatherValues } from "./values/gather-values.ts";

export interface Prepared {
  readonly chart: Chart;
  /** With secret ones in clear. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Chart and values, of one moment: what is planned or done with them is about the same. */
export async function prepareUpgrade(begun: Begun, action: UpgradeAction): Promise<Prepared> {
  const { task, helm, programs } = begun;
  const { secrets } = task;
  task.mayUse({ is: "chart", place: placeOfChart(action.chart) });
  const chart = await fetchChart({ source: action.chart, helm, programs, task });
  const there = action.values.isReusing ? await readValuesThere(begun) : {};
  return { chart, values: await gatherValues({ rule: action.values, there, secrets, chartFolder: chart.folder }) };
}

async function readValuesThere({ task, store, heads }: Begun): Promise<Release["values"]> {
  const revision = deployedOf(heads);
  const head = heads.find((each) => each.revision === revision) ?? heads.at(-1);
  if (head) task.secrets.read.add(`${task.spec.namespace}/${head.secret}`);
  return (head && (await store.open(head)))?.values ?? {};
}
