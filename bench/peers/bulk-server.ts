// Stands behind the API server's `pods/proxy`: GET /down?bytes=N sends N bytes, POST /up answers how many it got,
// GET /small answers at once, GET /slow?bytes=N sends N bytes as fast as they are read. Prints its port as JSON.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const chunk = Buffer.alloc(64 * 1024);

const server = createServer((incoming, outgoing) => {
  const url = new URL(incoming.url ?? "/", "http://localhost");
  if (url.pathname === "/down") return sendZeros(outgoing, Number(url.searchParams.get("bytes")));
  if (url.pathname === "/up") {
    let received = 0;
    incoming.on("data", (data: Buffer) => {
      received += data.length;
    });
    incoming.on("end", () => outgoing.end(String(received)));
    return;
  }
  outgoing.end("ok");
});
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, pid: process.pid }));
});

function sendZeros(outgoing: ServerResponse, sizeBytes: number): void {
  outgoing.writeHead(200, { "content-length": sizeBytes, "content-type": "application/octet-stream" });
  let left = sizeBytes;
  pump();

  function pump(): void {
    while (left > 0) {
      const part = left >= chunk.length ? chunk : chunk.subarray(0, left);
      left -= part.length;
      if (!outgoing.write(part)) {
        outgoing.once("drain", pump);
        return;
      }
    }
    outgoing.end();
  }
}
