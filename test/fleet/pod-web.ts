// A local HTTP server that stands for what listens in a pod: port-forward and the API server's proxy end on loopback.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface PodWeb extends AsyncDisposable {
  readonly port: number;
  /** The hash of the answer to `/body`: random, so that nothing can pass by accident. */
  readonly sha256: string;
}

/** Answers `/body` with that many bytes, and any other path with `served PATH`. */
export async function startPodWeb(sizeBytes = 1 << 20): Promise<PodWeb> {
  const body = randomBytes(sizeBytes);
  const server = createServer((request, response) =>
    response.end(request.url === "/body" ? body : `served ${request.url}`),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sha256: createHash("sha256").update(body).digest("hex"),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
