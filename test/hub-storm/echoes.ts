// Execs of `cat`: what comes back is what was sent, byte for byte, up to the end or up to an error.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Harness, pickTarget, podName } from "./harness.ts";

const stdin = 0;
const stdout = 1;
const status = 3;
const close = 255;
/** Longer than a hub stands still and than a lost link is waited for, together. */
const patienceMs = 120_000;

export async function keepEchoing(harness: Harness): Promise<void> {
  while (!harness.over.aborted) {
    await echoOnce(harness);
    await delay(200);
  }
}

async function echoOnce(harness: Harness): Promise<void> {
  const { ground, name } = pickTarget(harness);
  const { behind } = harness.hubs;
  const query = "command=cat&container=main&stdin=true&stdout=true&stderr=true";
  const path = `/k8s/clusters/${name}/api/v1/namespaces/${ground.namespace}/pods/${podName}/exec?${query}`;
  const socket = new WebSocket(`wss://127.0.0.1:${behind.port}${path}`, "v5.channel.k8s.io", {
    ca: behind.caPem,
    headers: { authorization: `Bearer ${behind.adminToken}` },
    perMessageDeflate: false,
    handshakeTimeout: patienceMs,
  });
  const sent: Buffer[] = [];
  const received: Buffer[] = [];
  let end = "";
  socket.on("message", (data: Buffer) => {
    if (data[0] === stdout) received.push(data.subarray(1));
    if (data[0] === status) end += data.subarray(1).toString();
  });
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  const isOpen = await Promise.race([once(socket, "open").then(() => true), closed.then(() => false)]).catch(
    () => false,
  );
  socket.on("error", () => undefined);
  if (!isOpen) return harness.count("execs refused");

  const until = performance.now() + harness.chance.between(2000, 20_000);
  while (performance.now() < until && !harness.over.aborted && socket.readyState === WebSocket.OPEN) {
    const chunk = randomBytes(harness.chance.between(1, 16_384));
    sent.push(chunk);
    socket.send(Buffer.concat([Buffer.of(stdin), chunk]));
    await delay(50);
  }
  if (socket.readyState === WebSocket.OPEN) socket.send(Buffer.of(close, stdin));
  const code = await Promise.race([closed, delay(patienceMs, "never" as const, { ref: false })]);
  socket.terminate();
  judge({ harness, name, code, end, sent: Buffer.concat(sent), received: Buffer.concat(received) });
}

function judge(outcome: {
  readonly harness: Harness;
  readonly name: string;
  readonly code: number | "never";
  readonly end: string;
  readonly sent: Buffer;
  readonly received: Buffer;
}): void {
  const { harness, name, code, end, sent, received } = outcome;
  const what = `an exec in ${name} (${sent.length} bytes sent, ${received.length} came back, closed with ${code})`;
  if (code === "never") return void harness.breaks(`${what} neither went on nor ended`);
  if (!sent.subarray(0, received.length).equals(received))
    return void harness.breaks(`${what} brought other bytes back`);
  const isWhole = sent.length === received.length;
  if (/"status":"Success"/.test(end)) {
    if (!isWhole) harness.breaks(`${what} lacks bytes and says that all went well`);
    return void harness.count("execs whole");
  }
  if (code === 1000 && end === "" && !isWhole) harness.breaks(`${what} ended short without an error`);
  harness.count("execs ended in an error");
}
