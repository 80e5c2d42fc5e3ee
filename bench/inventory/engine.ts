// The engine alone: what keeps a hub's copy true, with a source in memory and a hub that only counts.
import { runProgram } from "../harness/run-program.ts";
import type { Row } from "../harness/table.ts";
import { atLeast, atMost } from "../harness/targets.ts";

interface Figures {
  readonly firstSyncSeconds: number;
  readonly resyncSeconds: number;
  readonly resyncBytes: number;
  readonly lagP99Ms: number;
  readonly memoryBytes: number;
  readonly kept: number;
}

const program = "packages/agent/src/inventory/engine-load.fixture.ts";
const changesPerSecond = 5_000;

export async function measureEngine(options: {
  objects: number;
  seconds: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { objects, seconds, say } = options;
  const run = (count: number, forSeconds: number) =>
    runProgram<Figures>(program, { objects: count, changesPerSecond, seconds: forSeconds }, ["--expose-gc"]);
  // Each twice the one before, so that tables, which grow by doubling, are as full in each.
  const [fewest, fewer] = [objects / 4, objects / 2];
  say(`the engine alone, with ${fewest} and with ${fewer} objects`);
  const { memoryBytes: fewestBytes } = await run(fewest, 1);
  const { memoryBytes: fewerBytes } = await run(fewer, 1);
  say(`the engine alone, with ${objects} objects and ${changesPerSecond} changes a second`);
  const figures = await run(objects, seconds);
  const fairlead = (value: number) => ({ fairlead: value });
  const { firstSyncSeconds, lagP99Ms, kept, memoryBytes } = figures;
  const earlierBytes = (fewerBytes - fewestBytes) / (fewer - fewest);
  const laterBytes = (memoryBytes - fewerBytes) / (objects - fewer);
  return [
    {
      name: `engine alone, ${objects} objects of 1 KiB: first sync`,
      unit: "s",
      figures: fairlead(firstSyncSeconds),
      targets: [atMost(firstSyncSeconds, 60, "s")],
    },
    {
      name: `engine alone, ${changesPerSecond} changes a second: lag until acknowledged, p99`,
      unit: "ms",
      figures: fairlead(lagP99Ms),
      targets: [atMost(lagP99Ms, 250, "ms"), atLeast(kept, objects, "objects kept")],
    },
    { name: "engine alone: again with nothing changed", unit: "s", figures: fairlead(figures.resyncSeconds) },
    { name: "engine alone: what that moves", unit: "KiB", figures: fairlead(figures.resyncBytes / 1024) },
    {
      name: `engine alone: memory of each object from the ${fewest}th to the ${fewer}th`,
      unit: "B",
      figures: fairlead(earlierBytes),
    },
    {
      name: `engine alone: memory of each object from there to the ${objects}th`,
      unit: "B",
      figures: fairlead(laterBytes),
      targets: [atMost(laterBytes / earlierBytes, 1.1, "of that of those before")],
    },
  ];
}
