// A pod behind which a local HTTP server stands, reached as the API server's `pods/proxy`.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { runPod } from "./pods.ts";
import type { Fleet } from "./start-fleet.ts";

export interface BulkPod extends AsyncDisposable {
  /** Path on the hub that answers with so many bytes. */
  download(sizeBytes: number): string;
}

export async function startBulkPod(fleet: Fleet, name = "bulk"): Promise<BulkPod> {
  await runPod(fleet, name);
  const server = createServer((request, response) => {
    sendBytes(response, Number(new URL(request.url ?? "/", "http://pod").searchParams.get("bytes")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const base = `/k8s/clusters/${fleet.joined.name}/api/v1/namespaces/${fleet.namespace.name}/pods/${name}:${port}/proxy`;
  return {
    download: (sizeBytes) => `${base}/?bytes=${sizeBytes}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const chunk = Buffer.alloc(64 * 1024, 120);

function sendBytes(response: ServerResponse, sizeBytes: number): void {
  response.writeHead(200, { "content-length": sizeBytes });
  let left = sizeBytes;
  pump();

  function pump(): void {
    while (left > 0) {
      const part = left >= chunk.length ? chunk : chunk.subarray(0, left);
      left -= part.length;
      if (response.write(part)) continue;
      response.once("drain", pump);
      return;
    }
    response.end();
  }
}
