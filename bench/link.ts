// Client -> hub -> agent -> API server beside the same requests straight to the API server and through a plain
// reverse proxy; then many idle links on one hub, and all of them coming back at once.
import { formatTable, type Row } from "./harness/table.ts";
import { measureIdleLinks } from "./link/idle-links.ts";
import { setLinkStage } from "./link/stage.ts";
import { measureHubMemory, measureThroughput } from "./link/throughput.ts";

export async function runLinkBench({ json, quick }: { json: boolean; quick: boolean }): Promise<void> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  say("starting an API server, a hub, an agent and a plain reverse proxy");
  const rows: Row[] = [];
  {
    await using stage = await setLinkStage();
    rows.push(...(await measureThroughput({ stage, rounds: quick ? 1 : 5, say })));
    say("1 GiB through the hub");
    rows.push(...(await measureHubMemory({ stage })));
  }
  say("idle links, and a storm of reconnects");
  rows.push(...(await measureIdleLinks({ count: quick ? 100 : 1000, say })));
  if (json) console.log(JSON.stringify({ bench: "link", rows }, undefined, 2));
  else console.log(formatTable(["direct", "impersonating", "proxy", "fairlead"], rows));
}
