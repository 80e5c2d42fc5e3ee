// A stream over the link alone, at 50 ms there and back: two processes and a cable between them, no API server and no
// HTTP. It tells what the link's windows allow from what the machine's cores do.
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { acceptLink, type Link, linkServerOptions } from "@fairlead/protocol";
import { createAuthority } from "@fairlead/protocol/x509";
import { type WebSocket, WebSocketServer } from "ws";
import { startPeer } from "../harness/peer-process.ts";

const sizeBytes = 512 * 2 ** 20;

/** Bytes per second, one figure for each round. */
export async function measureBareLink(options: { rttMs: number; rounds: number }): Promise<number[]> {
  await using undo = new AsyncDisposableStack();
  const authority = await createAuthority({ commonName: "bench", days: 2 });
  const { certPem: cert, keyPem: key } = await authority.issueServerCertificate({
    names: ["127.0.0.1"],
    ttlMs: 24 * 3600 * 1000,
  });
  const server = createServer({ cert, key, minVersion: "TLSv1.3" });
  const sockets = new WebSocketServer(linkServerOptions);
  const connected = new Promise<WebSocket>((resolve) => {
    server.on("upgrade", (request, socket, head) => sockets.handleUpgrade(request, socket, head, resolve));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const cable = undo.use(await startPeer("cable.ts", { port, rttMs: options.rttMs }));
  const accepted = connected.then((socket) => acceptLink({ socket, accept: refuse }));
  undo.use(await startPeer("link-source.ts", { port: cable.port, caPem: authority.caPem }));
  const link = await accepted;
  undo.defer(() => link.close("the benchmark is over"));
  const rates: number[] = [];
  for (let round = 0; round < options.rounds; round++) rates.push(await download(link));
  return rates;
}

function download(link: Link): Promise<number> {
  const start = performance.now();
  let received = 0;
  return new Promise((resolve, reject) => {
    const open = {
      target: "kubernetes",
      method: "GET",
      path: `/down?bytes=${sizeBytes}`,
      headers: [],
      upgrade: false,
      requestId: "bench",
      deadlineMs: 60_000,
    } as const;
    const stream = link.openStream(open, {
      onData(chunk) {
        received += chunk.length;
        stream.consumed(chunk.length);
      },
      onEnd: () => resolve(received / ((performance.now() - start) / 1000)),
      onReset: reject,
    });
    stream.end();
  });
}

function refuse(): never {
  throw new Error("the hub's side serves nothing here");
}
