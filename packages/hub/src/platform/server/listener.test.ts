import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { createListener, createPlainListener, parseListen, startListening, stopListening } from "./index.ts";

it.each([
  ["127.0.0.1:8443", "127.0.0.1", 8443],
  ["[::1]:0", "::1", 0],
  [":8443", "::", 8443],
])("reads the address %s", (listen, host, port) => {
  expect(parseListen(listen)).toEqual({ host, port });
});

it("says in one line that its port is taken", async () => {
  const first = createListener({ tls: {}, requestTimeoutMs: 0 });
  const port = await startListening(first, "127.0.0.1:0");
  const second = createListener({ tls: {}, requestTimeoutMs: 0 });
  await expect(startListening(second, `127.0.0.1:${port}`)).rejects.toMatchObject({
    code: "CONFIG_LISTEN_IN_USE",
    message: `127.0.0.1:${port} is in use by another process`,
  });
  await stopListening(first).closed;
});

it("has the limits that API traffic needs", () => {
  const server = createListener({ tls: {}, requestTimeoutMs: 0 });
  expect(server.requestTimeout).toBe(0);
  expect(server.headersTimeout).toBe(32_000);
  expect(server.keepAliveTimeout).toBeGreaterThanOrEqual(95_000);
});

it("answers whoever was connected before it stopped, though nothing of them had been heard yet", async () => {
  const server = createPlainListener({ requestTimeoutMs: 0 });
  server.on("request", (_req, res) => res.end("ok"));
  const port = await startListening(server, "127.0.0.1:0");
  // The kernel takes all of them within this turn.
  const sockets = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
  const { closed } = stopListening(server);
  const answers = await Promise.all(sockets.map(ask));
  expect(answers.filter((text) => text.startsWith("HTTP/1.1 200"))).toHaveLength(20);
  await closed;
  const late = connect(port, "127.0.0.1");
  expect(await once(late, "error")).toMatchObject([{ code: "ECONNREFUSED" }]);
});

async function ask(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += String(chunk);
  });
  socket.on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await once(socket, "close");
  return text;
}
