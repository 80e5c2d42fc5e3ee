import { on, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type LiveMessage, type LiveRequest, livePath, liveSubprotocol } from "@fairlead/contract";
import { WebSocket } from "ws";
import { median, percentile } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { CommandStage } from "./stage.ts";

/** From the request to the first line of the log that one sees who follows the run, while there is nothing else to do. */
export async function measureFirstLine({ stage, count }: { stage: CommandStage; count: number }): Promise<Row[]> {
  const { hub, namespace } = stage;
  const headers = { authorization: `Bearer ${hub.adminToken}` };
  const url = `wss://127.0.0.1:${hub.port}${livePath}`;
  const socket = new WebSocket(url, liveSubprotocol, { ca: hub.caPem, headers });
  await once(socket, "open");
  const tookMs: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    const manifests = `{apiVersion: v1, kind: ConfigMap, metadata: {name: line}, data: {turn: "${turn}"}}`;
    const begunMs = performance.now();
    const run = await stage.submit({ set: "first-line", namespace, manifests });
    await untilFirstLine(socket, run);
    tookMs.push(performance.now() - begunMs);
    await stage.finish(run);
    await delay(100);
  }
  socket.close();
  return [
    {
      name: "from the request to the first line that is seen, p50",
      unit: "ms",
      figures: { fairlead: median(tookMs) },
      targets: [atMost(median(tookMs), 200, "ms")],
    },
    { name: "the same, p99", unit: "ms", figures: { fairlead: percentile(tookMs, 99) } },
  ];
}

async function untilFirstLine(socket: WebSocket, run: string): Promise<void> {
  const messages = on(socket, "message");
  const request: LiveRequest = { type: "follow-run", id: run, run, logFrom: 0 };
  socket.send(JSON.stringify(request));
  for await (const [data] of messages) {
    const message = JSON.parse(String(data)) as LiveMessage;
    if (message.id !== run) continue;
    if (message.type === "log") return;
    if (message.type !== "run") throw new Error(`${run} said no line: ${JSON.stringify(message)}`);
  }
}
