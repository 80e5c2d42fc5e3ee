import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { reservePorts } from "./ports.ts";

it("gives ports below the range of outgoing connections, to one caller each", async () => {
  const leases = await Promise.all(Array.from({ length: 20 }, () => reservePorts(3)));
  const ports = leases.flatMap((lease) => lease.ports);
  expect(new Set(ports).size).toBe(60);
  expect(Math.max(...ports)).toBeLessThan(32_768);
  for (const lease of leases) await lease[Symbol.asyncDispose]();
});

it("gives ports that can be listened on", async () => {
  await using lease = await reservePorts(1);
  const server = createServer().listen(lease.ports[0], "127.0.0.1");
  await once(server, "listening");
  server.close();
});
