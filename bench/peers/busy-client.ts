// A user who asks for all that there is, until it is killed: many small requests at a time, and downloads one after the
// other. Like Kubernetes' own clients it waits when it is told to. In a process of its own, so that it keeps nobody
// else's load waiting.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Route } from "../harness/load.ts";

const settings = JSON.parse(readFileSync(0, "utf8")) as {
  route: Route;
  smallPath: string;
  downloadPath: string;
  requests: number;
  downloads: number;
};
const { route } = settings;
const { requests, downloads } = settings;
const connections = requests + downloads;
const dispatcher = new Agent({ allowH2: false, connections, connect: { ca: route.ca }, bodyTimeout: 0 });

for (let i = 0; i < requests; i++) void repeat(settings.smallPath);
for (let i = 0; i < downloads; i++) void repeat(settings.downloadPath);
console.log(JSON.stringify({ port: 0 }));

async function repeat(path: string): Promise<never> {
  for (;;) {
    const waitMs = await get(path).catch(() => 100);
    if (waitMs > 0) await delay(waitMs);
  }
}

/** How long to wait before the next one. */
async function get(path: string): Promise<number> {
  const { statusCode, headers, body } = await request(route.origin + route.pathPrefix + path, {
    dispatcher,
    headers: { authorization: route.authorization },
  });
  for await (const _chunk of body);
  return statusCode === 429 ? 1000 * Math.max(0.1, Number(headers["retry-after"] ?? 1)) : 0;
}
