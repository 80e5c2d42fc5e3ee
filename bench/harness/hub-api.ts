import type { TestHub } from "@fairlead/testkit";
import { Agent, request } from "undici";

const dispatchers = new WeakMap<TestHub, Agent>();

/** GET, as the hub's admin. */
export async function askHub<T>(hub: TestHub, path: string): Promise<T> {
  return await call<T>(hub, path, { method: "GET" });
}

/** The same until the answer is there, unread. */
export async function downloadFromHub(hub: TestHub, path: string): Promise<Buffer> {
  return Buffer.from(await (await send(hub, path, { method: "GET" })).arrayBuffer());
}

/** POST, as the hub's admin. */
export async function tellHub<T>(hub: TestHub, path: string, body: object): Promise<T> {
  return await call<T>(hub, path, { method: "POST", body: JSON.stringify(body) });
}

async function call<T>(hub: TestHub, path: string, rest: { method: "GET" | "POST"; body?: string }): Promise<T> {
  return (await (await send(hub, path, rest)).json()) as T;
}

async function send(hub: TestHub, path: string, rest: { method: "GET" | "POST"; body?: string }) {
  const dispatcher = dispatchers.get(hub) ?? new Agent({ allowH2: false, connect: { ca: hub.caPem } });
  dispatchers.set(hub, dispatcher);
  const headers = { authorization: `Bearer ${hub.adminToken}`, "content-type": "application/json" };
  const { statusCode, body } = await request(hub.url + path, { ...rest, dispatcher, headers });
  if (statusCode > 299) throw new Error(`${path} was answered ${statusCode}: ${await body.text()}`);
  return body;
}
