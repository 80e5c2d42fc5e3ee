// Follows a run by the hub's live socket, from its first state to its end.
import { on, once } from "node:events";
import { type LiveMessage, type LiveRequest, livePath, liveSubprotocol } from "@fairlead/contract";
import type { TestHub } from "@fairlead/testkit";
import { WebSocket } from "ws";

export async function followRun({ port, caPem, adminToken }: TestHub, run: string): Promise<LiveMessage[]> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const socket = new WebSocket(`wss://127.0.0.1:${port}${livePath}`, liveSubprotocol, {
    headers,
    ca: caPem,
  });
  await once(socket, "open");
  const messages = on(socket, "message");
  const request: LiveRequest = { type: "follow-run", id: "1", run, logFrom: 0, credit: 1_000 };
  socket.send(JSON.stringify(request));
  const told: LiveMessage[] = [];
  for await (const [data] of messages) {
    const message = JSON.parse(String(data)) as LiveMessage;
    told.push(message);
    if (message.type === "error") throw new Error(`the hub ended it: ${message.code}`);
    if (message.type === "ended") break;
  }
  socket.close();
  return told;
}
