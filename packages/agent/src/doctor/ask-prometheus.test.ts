import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPrometheusAsker } from "./ask-prometheus.ts";

let serve: RequestListener;
const server = createServer((request, response) => serve(request, response));
const asked: string[] = [];
const looked: string[] = [];
const lookup: LookupFunction = (name, options, done) => {
  looked.push(name);
  if (options.all === true) done(null, [{ address: "127.0.0.1", family: 4 }]);
  else done(null, "127.0.0.1", 4);
};
beforeEach(async () => {
  asked.length = 0;
  looked.length = 0;
  serve = (request, response) => {
    asked.push(request.url ?? "");
    response.end(JSON.stringify(vectorOf([{ metric: { which: "up" }, value: [1, "3"] }])));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

test("the Service is asked in its namespace, by a name that only the cluster knows", async () => {
  expect(await ask()).toEqual({ is: "answered", series: [{ labels: { which: "up" }, value: 3 }] });
  expect(looked).toEqual(["prometheus-operated.prometheus.svc"]);
  expect(asked).toEqual(["/api/v1/query?query=sum%28up%29"]);
});

test("a proxy of the environment isn't asked", async () => {
  vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1");
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  expect(await ask()).toMatchObject({ is: "answered" });
});

test.each([
  ["another place", 302, "", { is: "refused", why: "it redirects the request (302)" }],
  ["a sign-in", 401, "", { is: "hidden", why: "it requires authentication (401)" }],
  ["a failure", 503, "", { is: "refused", why: "it answers with status 503" }],
  ["something else than JSON", 200, "<html>", { is: "refused", why: "it doesn't answer as Prometheus does" }],
  ["other JSON", 200, '{"status":"success","data":{"resultType":"string"}}', { is: "refused" }],
  ["more than fits", 200, " ".repeat(70_000), { is: "refused", why: expect.stringContaining("longer") }],
])("%s is no answer", async (_what, status, body, expected) => {
  const places: string[] = [];
  serve = (request, response) => {
    places.push(request.url ?? "");
    response.writeHead(status, { location: "/elsewhere" }).end(body);
  };
  expect(await ask()).toMatchObject(expected);
  expect(places).toHaveLength(1);
});

test("what is no number is left out", async () => {
  const odd = ["NaN", "+Inf", "three"].map((value) => ({ metric: { which: "up" }, value: [1, value] }));
  serve = (_request, response) => response.end(JSON.stringify(vectorOf([...odd, { metric: {}, value: [1, "4"] }, {}])));
  expect(await ask()).toEqual({ is: "answered", series: [{ labels: {}, value: 4 }] });
});

test("an answer without end, of many series, is cut", async () => {
  const many = Array.from({ length: 500 }, (_, index) => ({ metric: { which: String(index) }, value: [1, "1"] }));
  serve = (_request, response) => response.end(JSON.stringify(vectorOf(many)));
  const answer = await ask();
  expect(answer).toMatchObject({ is: "answered" });
  expect(answer.is === "answered" && answer.series).toHaveLength(64);
});

test("one that says nothing is given up, and so is one that isn't there", async () => {
  serve = () => undefined;
  expect(await ask({ timeoutMs: 50 })).toEqual({ is: "hidden", why: "nothing came within 0.05 s" });
  expect(await ask({}, { port: 1 })).toEqual({ is: "hidden", why: "ECONNREFUSED" });
});

test.each([["prometheus/../x"], ["a.b"], ["a@b"], ["-"], [""]])("'%s' is no name of a Service", async (name) => {
  expect(await ask({}, { name })).toMatchObject({ is: "hidden" });
  expect([...looked, ...asked]).toEqual([]);
});

function ask(options: { readonly timeoutMs?: number } = {}, other: { name?: string; port?: number } = {}) {
  const { port } = server.address() as AddressInfo;
  const address = { scheme: "http", namespace: "prometheus", name: "prometheus-operated", port, ...other } as const;
  const query = { address, query: "sum(up)" };
  return createPrometheusAsker({ lookup, timeoutMs: 5_000, ...options })(query, new AbortController().signal);
}

function vectorOf(result: readonly object[]) {
  return { status: "success", data: { resultType: "vector", result } };
}
