import type { TestHub } from "@fairlead/testkit";
import { Agent, request } from "undici";

const dispatchers = new WeakMap<TestHub, Agent>();

/** GET, as the hub's admin. */
export async function askHub<T>(hub: TestHub, path: string): Promise<T> {
  const dispatcher = dispatchers.get(hub) ?? new Agent({ allowH2: false, connect: { ca: hub.caPem } });
  dispatchers.set(hub, dispatcher);
  const headers = { authorization: `Bearer ${hub.adminToken}` };
  const { statusCode, body } = await request(hub.url + path, { dispatcher, headers });
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${await body.text()}`);
  return (await body.json()) as T;
}
