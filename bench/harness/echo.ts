import { createHash, randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { untilAbort } from "@fairlead/kernel";
import { channels, openKubeSocket } from "./kube-socket.ts";
import type { Route } from "./load.ts";

const everyMs = 100;
const chunkBytes = 16 * 1024;

/**
 * Runs `cat` in a pod and talks to it until told to end: whether all that was said came back, byte for byte, and the
 * command then ended well.
 */
export async function echoUntil(options: {
  route: Route;
  pod: string;
  until: AbortSignal;
  signal: AbortSignal;
}): Promise<boolean> {
  const { route, pod, until, signal } = options;
  const query = "command=cat&container=main&stdin=true&stdout=true&stderr=true";
  const path = `/api/v1/namespaces/default/pods/${pod}/exec?${query}`;
  const sent = createHash("sha256");
  const received = createHash("sha256");
  let status = "";
  const onMessage = (channel: number, chunk: Buffer) => {
    if (channel === channels.stdout) received.update(chunk);
    if (channel === channels.status) status += chunk.toString();
  };
  await using socket = await openKubeSocket({ route, path, subprotocol: "v5.channel.k8s.io", onMessage });
  while (!until.aborted) {
    const chunk = randomBytes(chunkBytes);
    sent.update(chunk);
    socket.send(channels.stdin, chunk);
    await delay(everyMs, undefined, { signal: until }).catch(() => {});
  }
  socket.send(channels.close, Buffer.of(channels.stdin));
  const gaveUp = untilAbort(signal);
  await Promise.race([socket.closed, gaveUp]);
  return /"status":"Success"/.test(status) && sent.digest("hex") === received.digest("hex");
}
