import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createLogger } from "../telemetry/index.ts";
import { createApp } from "./app.ts";
import { createTrustedProxies, noteForwarded } from "./remote-address.ts";

test.each([
  [["127.0.0.1"], "203.0.113.5"],
  [[], "127.0.0.1"],
])("with %j as trusted proxies every route of the API sees %s", async (rules, expected) => {
  const counters = { byStatus: new Map<number, number>(), byErrorCode: new Map<string, number>() };
  const log = createLogger({ level: "silent", name: "test" });
  const app = await createApp({
    log,
    counters,
    bodyLimitBytes: 1024,
    routes: (routes) => void routes.get("/from", (request) => request.ip),
  });
  const trusted = createTrustedProxies(rules);
  const server = createServer((req, res) => {
    noteForwarded(req, trusted);
    app.routing(req, res);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/from`, { headers: { "x-forwarded-for": "203.0.113.5" } });
  expect(await answer.text()).toBe(expected);
  server.close();
});

test("an address that can't be decoded is answered as every other error of the API", async () => {
  const counters = { byStatus: new Map<number, number>(), byErrorCode: new Map<string, number>() };
  const log = createLogger({ level: "silent", name: "test" });
  const app = await createApp({ log, counters, bodyLimitBytes: 1024, routes: () => undefined });
  const answer = await app.inject({ method: "DELETE", url: "/api/v1/sessions/%ed%a0%80" });
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([400, "application/problem+json; charset=utf-8"]);
  expect(answer.json()).toMatchObject({ code: "API_REQUEST_INVALID", status: 400, requestId: expect.any(String) });
});
