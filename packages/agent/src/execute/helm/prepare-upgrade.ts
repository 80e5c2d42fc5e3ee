import type { Begun } from "./begin.ts";
import { type Chart, fetchChart } from "./chart/fetch-chart.ts";
import { placeOfChart } from "./chart/name-chart.ts";
import type { UpgradeAction } from "./types.ts";
import { gatherValues } from "./values/gather-values.ts";

export interface Prepared {
  readonly chart: Chart;
  /** With secret ones in clear. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Chart and values, of one moment: what is planned or done with them is about the same. */
export async function prepareUpgrade({ task, helm, programs }: Begun, action: UpgradeAction): Promise<Prepared> {
  const { secrets } = task;
  task.mayUse({ is: "chart", place: placeOfChart(action.chart) });
  const chart = await fetchChart({ source: action.chart, helm, programs, task });
  return { chart, values: await gatherValues({ rule: action.values, secrets, chartFolder: chart.folder }) };
}
