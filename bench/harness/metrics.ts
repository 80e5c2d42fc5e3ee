import type { TestHub } from "@fairlead/testkit";
import { Agent, request } from "undici";

/** The sum over all label sets of one of the hub's metrics. */
export async function readMetric(hub: TestHub, name: string): Promise<number> {
  const dispatcher = new Agent({ allowH2: false, connect: { ca: hub.caPem } });
  const headers = { authorization: `Bearer ${hub.adminToken}` };
  const { body } = await request(`${hub.url}/metrics`, { dispatcher, headers });
  const text = await body.text();
  await dispatcher.close();
  const samples = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  if (samples.length === 0) throw new Error(`the hub has no metric ${name}: ${text.slice(0, 500)}`);
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
