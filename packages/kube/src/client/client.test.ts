import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { isFairleadError } from "@fairlead/kernel";
import { afterEach, expect, test } from "vitest";
import { retryAfterMs, statusOf } from "../errors/status.ts";
import { createKubeClient, type KubeClient } from "./client.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function clientOf(listener: RequestListener, path = ""): Promise<KubeClient> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const access = {
    server: new URL(`http://127.0.0.1:${port}${path}`),
    insecureSkipTlsVerify: false,
    authorization: async () => "Bearer t",
    namespace: "default",
  };
  const client = createKubeClient({ access });
  cleanups.push(() => client[Symbol.asyncDispose]());
  cleanups.push(() => server.closeAllConnections());
  cleanups.push(() => server.close());
  return client;
}

test("a request carries its credential and comes back as an object", async () => {
  const client = await clientOf((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    request.on("end", () => {
      const { authorization, "content-type": type } = request.headers;
      response.end(JSON.stringify({ url: request.url, method: request.method, authorization, type, body }));
    });
  }, "/prefix/");
  expect(
    await client.request({
      method: "PATCH",
      path: "/x?a=1",
      body: { b: 2 },
      headers: { "content-type": "application/apply-patch+yaml" },
    }),
  ).toEqual({
    url: "/prefix/x?a=1",
    method: "PATCH",
    authorization: "Bearer t",
    type: "application/apply-patch+yaml",
    body: '{"b":2}',
  });
});

test.each([
  [403, "Forbidden", "KUBE_FORBIDDEN"],
  [404, "NotFound", "KUBE_NOT_FOUND"],
  [409, "Conflict", "KUBE_CONFLICT"],
  [409, "AlreadyExists", "KUBE_ALREADY_EXISTS"],
  [418, "Teapot", "KUBE_REQUEST_FAILED"],
])("a refusal %d %s is %s with the API server's words", async (status, reason, code) => {
  const client = await clientOf((_, response) => {
    response.writeHead(status).end(JSON.stringify({ kind: "Status", apiVersion: "v1", reason, message: "no way" }));
  });
  const error = await client.request({ path: "/" }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: "no way", httpStatus: status });
  expect(isFairleadError(error) && statusOf(error)?.reason).toBe(reason);
});

test("how long an API server wants to be left alone is known, in a Status or not", async () => {
  let body = "Too many requests, please try again later.";
  const client = await clientOf((_, response) => void response.writeHead(429, { "retry-after": "3" }).end(body));
  const ask = () => client.request({ path: "/" }).catch((error) => retryAfterMs(error));
  expect(await ask()).toBe(3_000);
  body = JSON.stringify({ kind: "Status", message: "slow", details: { retryAfterSeconds: 7 } });
  expect(await ask()).toBe(7_000);
});

test("an error in plain text is still a coded error", async () => {
  const client = await clientOf((_, response) => void response.writeHead(503).end("starting"));
  await expect(client.request({ path: "/" })).rejects.toMatchObject({ code: "KUBE_UNAVAILABLE", retryable: true });
});

test("something else that answers isn't taken for an API server", async () => {
  const client = await clientOf((_, response) => void response.end("<html>"));
  await expect(client.request({ path: "/" })).rejects.toMatchObject({ code: "KUBE_BAD_ANSWER" });
});

test("silence ends in a timeout, and an abort in its own reason", async () => {
  const client = await clientOf(() => undefined);
  await expect(client.request({ path: "/", timeoutMs: 100 })).rejects.toMatchObject({ code: "KUBE_TIMEOUT" });
  const reason = new Error("enough");
  const aborted = new AbortController();
  const request = client.request({ path: "/", signal: aborted.signal });
  setTimeout(() => aborted.abort(reason), 50);
  await expect(request).rejects.toBe(reason);
  await expect(client.request({ path: "/", signal: aborted.signal })).rejects.toBe(reason);
});

test("nobody there is unreachable, and retryable", async () => {
  const access = {
    server: new URL("http://127.0.0.1:1"),
    insecureSkipTlsVerify: false,
    authorization: () => undefined,
    namespace: "default",
  };
  await using client = createKubeClient({ access });
  await expect(client.request({ path: "/" })).rejects.toMatchObject({ code: "KUBE_UNREACHABLE", retryable: true });
});
