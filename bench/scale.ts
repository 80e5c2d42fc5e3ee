// Two hubs on one database: requests to the hub that has the cluster's link, and the same by its neighbour.
import { formatTable, type Row } from "./harness/table.ts";
import { measureNeighbour } from "./scale/neighbour.ts";
import { setScaleStage } from "./scale/stage.ts";

export async function runScaleBench({ json, quick }: { json: boolean; quick: boolean }): Promise<void> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  say("starting an API server, PostgreSQL, two hubs and an agent");
  await using stage = await setScaleStage();
  const rows: Row[] = await measureNeighbour({ stage, rounds: quick ? 1 : 5, warmUpMs: quick ? 5000 : 20_000, say });
  if (json) console.log(JSON.stringify({ bench: "scale", rows }, undefined, 2));
  else console.log(formatTable([...stage.routes.map(({ name }) => name), "ratio"], rows));
}
