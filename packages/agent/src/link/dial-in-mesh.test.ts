import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { systemClock } from "@fairlead/kernel";
import { linkPath, linkRolesHeader, linkServerOptions } from "@fairlead/protocol";
import { afterEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { dialSocket } from "./dial-socket.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

test("an agent in a mesh says its roles and nothing else of itself, without TLS", async () => {
  const sockets = new WebSocketServer(linkServerOptions);
  let request: IncomingMessage | undefined;
  const hub = await startSidecar((req, socket, head) => {
    request = req;
    sockets.handleUpgrade(req, socket, head, (webSocket) => webSocket.close());
  });
  const socket = await dial(hub);
  await once(socket, "close");
  expect(request?.url).toBe(linkPath);
  const own = Object.entries(request?.headers ?? {}).filter(([name]) => name.startsWith("fairlead-"));
  expect(own).toEqual([[linkRolesHeader, "observe,proxy"]]);
});

test.each(["LINK_CERTIFICATE_REQUIRED", "LINK_PROOF_REQUIRED"])(
  "a hub that answers %s wasn't told of the mesh, and the agent says so",
  async (code) => {
    const hub = await startSidecar((_req, socket) => refuse(socket, { code, detail: "No." }));
    await expect(dial(hub)).rejects.toMatchObject({ code: "LINK_MESH_NOT_TAKEN", retryable: true });
  },
);

test("any other refusal stays what the hub says", async () => {
  const hub = await startSidecar((_req, socket) =>
    refuse(socket, { code: "LINK_MESH_CLUSTER_REVOKED", detail: "No." }),
  );
  await expect(dial(hub)).rejects.toMatchObject({ code: "LINK_MESH_CLUSTER_REVOKED", message: "No." });
});

async function startSidecar(onUpgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void): Promise<URL> {
  const server = createServer();
  server.on("upgrade", (req, socket, head) => {
    socket.on("error", () => undefined);
    onUpgrade(req, socket, head);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

function dial(hub: URL): Promise<WebSocket> {
  const identity = { vouchedBy: "mesh", cluster: "", roles: ["observe", "proxy"] } as const;
  return dialSocket({ route: { hub }, identity, clock: systemClock, timeoutMs: 5_000 });
}

function refuse(socket: Duplex, problem: object): void {
  const text = JSON.stringify(problem);
  const head = `HTTP/1.1 401 No\r\nContent-Type: application/problem+json\r\nContent-Length: ${text.length}\r\n\r\n`;
  socket.end(head + text);
}
