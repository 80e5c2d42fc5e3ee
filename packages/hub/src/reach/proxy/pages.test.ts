// Pages of pods and services, as a browser gets them through the hub.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { openProxyHarness } from "./proxy-harness.fixture.ts";

const prefix = "/k8s/clusters/east";
const service = "/api/v1/namespaces/web/services/http:shop:80/proxy";
const page = `<html><a href="${service}/cart">cart</a><a href="//cdn.example/x">x</a></html>`;
const located = page.replace('href="/api', `href="${prefix}/api`);

describe("a page of a service", () => {
  test("has its links below the cluster's prefix, and no length of before", async () => {
    await using harness = await openHarness({ "content-type": "text/html; charset=utf-8" }, Buffer.from(page));
    const answer = await ask(harness.url, `${service}/`);
    expect(await answer.text()).toBe(located);
    expect(answer.headers.get("content-length")).toBeNull();
    expect(harness.failures).toEqual([]);
  });

  test("is rewritten when it is packed, too", async () => {
    const headers = { "content-type": "text/html", "content-encoding": "gzip" };
    await using harness = await openHarness(headers, gzipSync(page));
    const answer = await ask(harness.url, `${service}/`);
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(await answer.text()).toBe(located);
  });

  test("that isn't packed as it says is cut off", async () => {
    await using harness = await openHarness({ "content-type": "text/html", "content-encoding": "gzip" }, "plain text");
    await expect(ask(harness.url, `${service}/`).then((answer) => answer.text())).rejects.toThrow();
  });

  test("that unpacks without measure is cut off", async () => {
    const headers = { "content-type": "text/html", "content-encoding": "gzip" };
    await using harness = await openHarness(headers, gzipSync(Buffer.alloc(65 * 2 ** 20)));
    await expect(ask(harness.url, `${service}/`).then((answer) => answer.text())).rejects.toThrow();
  });

  test("announces no length to HEAD either", async () => {
    await using harness = await openHarness({ "content-type": "text/html" }, Buffer.from(page));
    const answer = await ask(harness.url, `${service}/`, "HEAD");
    expect(answer.headers.get("content-length")).toBeNull();
    expect(await answer.text()).toBe("");
  });
});

describe("every other body stays byte for byte", () => {
  test.each([
    ["a script of a service", { "content-type": "text/javascript" }, `${service}/app.js`],
    ["a part of a page", { "content-type": "text/html", "content-range": "bytes 0-9/99" }, `${service}/`],
    ["a page that the API server wrote itself", { "content-type": "text/html" }, "/swagger"],
    [
      "a page in an encoding that the hub doesn't know",
      { "content-type": "text/html", "content-encoding": "x" },
      service,
    ],
  ])("%s", async (_, headers, path) => {
    await using harness = await openHarness(headers, Buffer.from(page), "content-range" in headers ? 206 : 200);
    const answer = await ask(harness.url, path);
    expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe(page);
    expect(answer.headers.get("content-length")).toBe(String(page.length));
  });
});

test("a redirect of the API server's leads to the same cluster", async () => {
  const headers = { location: `${service}/`, link: `<${service}/next>; rel=next`, "content-location": "/version" };
  await using harness = await openHarness(headers, "", 301);
  const answer = await ask(harness.url, service);
  expect(answer.status).toBe(301);
  expect(answer.headers.get("location")).toBe(`${prefix}${service}/`);
  expect(answer.headers.get("link")).toBe(`<${prefix}${service}/next>; rel=next`);
  expect(answer.headers.get("content-location")).toBe(`${prefix}/version`);
});

async function openHarness(headers: Record<string, string>, body: Buffer | string, status = 200) {
  return await openProxyHarness({
    upstream(_req, res) {
      res.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
      res.end(body);
    },
  });
}

async function ask(url: string, path: string, method = "GET"): Promise<Response> {
  return await fetch(`${url}${path}`, {
    method,
    headers: { authorization: "Bearer good" },
    redirect: "manual",
  });
}
