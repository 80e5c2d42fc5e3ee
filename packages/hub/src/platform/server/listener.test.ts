import { expect, it } from "vitest";
import { createListener, parseListen, startListening, stopListening } from "./index.ts";

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
