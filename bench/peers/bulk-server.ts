// Stands behind the API server's `pods/proxy`: GET /down?bytes=N sends N bytes, POST /up answers how many it got,
// POST /hash answers the SHA-256 of what it got, GET /pattern?bytes=N sends bytes that differ. Prints its port as JSON.
import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { patternBlocks } from "../harness/pattern.ts";

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
  if (url.pathname === "/hash") {
    const hash = createHash("sha256");
    incoming.on("data", (data: Buffer) => hash.update(data));
    incoming.on("end", () => outgoing.end(hash.digest("hex")));
    return;
  }
  if (url.pathname === "/pattern") {
    const sizeBytes = Number(url.searchParams.get("bytes"));
    outgoing.writeHead(200, { "content-length": sizeBytes });
    Readable.from(patternBlocks(sizeBytes), { objectMode: false }).pipe(outgoing);
    return;
  }
  outgoing.writeHead(404).end();
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
