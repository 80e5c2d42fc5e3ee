// How many writes come to the other side each second, beside what the two API servers take when somebody writes to both.
import { median } from "../harness/stats.ts";
import type { Row, Target } from "../harness/table.ts";
import { atLeast } from "../harness/targets.ts";
import type { Direction, Offered, PairsAsked } from "../peers/application-player.ts";
import type { ArgoStage } from "./stage.ts";

const workers = 32;

/** In turn, so that both ways have the machine as it is just then. */
export async function measurePairs(options: {
  stage: ArgoStage;
  direction: Direction;
  seconds: number;
  rounds: number;
}): Promise<Row> {
  const { stage, direction, seconds, rounds } = options;
  const play = (way: PairsAsked["way"]) =>
    stage.player.ask<number>("pairs", { direction, way, workers, seconds: seconds / rounds } satisfies PairsAsked);
  const turns: { direct: number; fairlead: number }[] = [];
  for (let round = 0; round < rounds; round++)
    turns.push({ direct: await play("direct"), fairlead: await play("fairlead") });
  const ratio = median(turns.map(({ direct, fairlead }) => fairlead / direct));
  return {
    name: `${names[direction]}, ${workers} at a time`,
    unit: "1/s",
    figures: {
      direct: median(turns.map(({ direct }) => direct)),
      fairlead: median(turns.map(({ fairlead }) => fairlead)),
      ratio,
    },
    targets: [atLeast(ratio, 0.8, "of both API servers alone")],
  };
}

/** At rates up to twice of what gets through one by one: the rate at the other side must not fall. */
export async function measureRates(options: {
  stage: ArgoStage;
  direction: Direction;
  rates: readonly number[];
  seconds: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, direction, rates, seconds, say } = options;
  const rows: Row[] = [];
  let before = 0;
  for (const perSecond of rates) {
    say(`${names[direction]}: ${Math.round(perSecond)} offered each second`);
    const came = await stage.player.ask<Offered>("offer", { direction, perSecond, seconds });
    rows.push({
      name: `${names[direction]}: states that come at ${Math.round(came.offered)} a second`,
      unit: "1/s",
      figures: { fairlead: came.cameEachSecond },
      targets: [atLeast(came.cameEachSecond / before, 0.9, "of the rate before"), lossOf(came)].slice(
        before === 0 ? 1 : 0,
      ),
    });
    before = came.cameEachSecond;
  }
  return rows;
}

export function lossOf({ lost }: Offered): Target {
  return { text: "lost, at most 0", value: lost, met: lost === 0 };
}

export const names: Readonly<Record<Direction, string>> = {
  down: "specs from the hub to the cluster",
  up: "statuses from the cluster to the hub",
};
