// The way of a command's programs to the API server. They get no credentials: a server on loopback, whose path only they
// know, sends their requests on with the rights of the command, under the policy of this cluster, and only while the claim
// holds. When the agent dies the door is gone, and nothing that was left running changes anything any more.
import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { KubeClient } from "@fairlead/kube";
import { passOn } from "./pass-on.ts";

export interface ApiDoor extends AsyncDisposable {
  /** Where the API server seems to be. */
  readonly url: string;
  /** A kubeconfig for it, as JSON. */
  readonly kubeconfig: (namespace: string) => string;
}

export async function openApiDoor(options: {
  readonly kube: KubeClient;
  /** The path is no secret of anybody's, and nobody else's business. */
  readonly conceal: (value: string) => void;
  /**
   * The user agent that the API server sees, whatever programs send. Its audit log names it, and so does an object
   * whose writer didn't name a field manager.
   */
  readonly userAgent: string;
}): Promise<ApiDoor> {
  const { kube, conceal, userAgent } = options;
  const key = randomBytes(24).toString("hex");
  conceal(key);
  const prefix = `/${key}`;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    if (request.url?.startsWith(`${prefix}/`) !== true) response.writeHead(404).end();
    else passOn({ kube, request, response, userAgent, path: request.url.slice(prefix.length) });
  });
  // Watches have no end, and an upgrade isn't offered.
  server.requestTimeout = 0;
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 501 Not Implemented\r\nConnection: close\r\n\r\n"));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
  return {
    url,
    kubeconfig: (namespace) => describe(url, namespace),
    [Symbol.asyncDispose]: () => close(server),
  };
}

function describe(server: string, namespace: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "this", cluster: { server } }],
    users: [{ name: "this", user: {} }],
    contexts: [{ name: "this", context: { cluster: "this", user: "this", namespace } }],
    "current-context": "this",
  });
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
