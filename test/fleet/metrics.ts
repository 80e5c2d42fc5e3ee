import type { TestHub } from "@fairlead/testkit";
import { requestHub } from "./request-hub.ts";

/** The sum over all label sets of one of the hub's metrics; throws when the hub has no such metric. */
export async function readMetric(hub: TestHub, name: string): Promise<number> {
  const { text } = await requestHub(hub, "/metrics");
  const samples = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  if (samples.length === 0) throw new Error(`the hub has no metric ${name}:\n${text.slice(0, 2000)}`);
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
