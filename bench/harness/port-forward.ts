import { createHash } from "node:crypto";
import { onAbort } from "@fairlead/kernel";
import { throughGate } from "./gate.ts";
import { openKubeSocket } from "./kube-socket.ts";
import type { Route } from "./load.ts";
import { patternBlocks } from "./pattern.ts";

const sizeBytes = 2 ** 20;
const data = 0;
const error = 1;
const expected = hashPattern();

/** Returns true when 1 MiB comes through a forwarded port as it was sent. */
export async function forwardMebibyte(options: { route: Route; port: number; signal: AbortSignal }): Promise<boolean> {
  const { route, port, signal } = options;
  const path = `/api/v1/namespaces/default/pods/bulk/portforward?ports=${port}`;
  const answer = Promise.withResolvers<boolean>();
  const chunks: Buffer[] = [];
  let received = 0;
  let isBegun = false;
  const onMessage = (channel: number, chunk: Buffer) => {
    // Each of the two channels begins with the port's number.
    if (channel === error && chunk.length > 2) answer.resolve(false);
    if (channel !== data) return;
    if (isBegun) {
      chunks.push(chunk);
      received += chunk.length;
    }
    isBegun = true;
    if (received > sizeBytes && hasBody(chunks)) answer.resolve(true);
  };
  await using socket = await throughGate(() =>
    openKubeSocket({ route, path, subprotocol: "v4.channel.k8s.io", onMessage }),
  );
  void socket.closed.then(() => answer.resolve(hasBody(chunks)));
  onAbort(signal, () => answer.resolve(false));
  socket.send(data, Buffer.from(`GET /pattern?bytes=${sizeBytes} HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n`));
  return await answer.promise;
}

function hasBody(chunks: readonly Buffer[]): boolean {
  const answer = Buffer.concat(chunks);
  const start = answer.indexOf("\r\n\r\n") + 4;
  return createHash("sha256").update(answer.subarray(start)).digest("hex") === expected;
}

function hashPattern(): string {
  const hash = createHash("sha256");
  for (const block of patternBlocks(sizeBytes)) hash.update(block);
  return hash.digest("hex");
}
