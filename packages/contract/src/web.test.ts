import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import type { HubFetchInit } from "./fetch-send.ts";
import { createWebClient, HubError, pathOf } from "./web.ts";
import { formatOperationTables, formatWebOperations } from "./web-operations.ts";

test("the committed list of operations is the one that the tables make", () => {
  const committed = readFileSync(new URL("./gen/web-operations.ts", import.meta.url), "utf8");

  expect(committed, "regenerate with scripts/write-openapi.ts").toBe(formatWebOperations());
});

test("the committed list of tables has the operations of each", () => {
  const committed = readFileSync(new URL("./gen/operation-tables.ts", import.meta.url), "utf8");

  expect(committed, "regenerate with scripts/write-openapi.ts").toBe(formatOperationTables());
});

test("a browser loads 8 KiB of it at most, and nothing of zod or Node", async () => {
  await using build = await rolldown({
    input: fileURLToPath(new URL("./web.ts", import.meta.url)),
    platform: "browser",
    resolve: { conditionNames: ["@fairlead/source", "import"] },
    logLevel: "silent",
  });
  const { output } = await build.generate({ format: "esm", minify: true });
  const modules = output.flatMap((part) => (part.type === "chunk" ? Object.keys(part.modules) : []));
  const foreign = output.flatMap((part) => (part.type === "chunk" ? part.imports : []));
  const code = output.map((part) => (part.type === "chunk" ? part.code : "")).join("");

  expect(modules.length).toBeGreaterThan(3);
  expect(modules.filter((path) => path.includes("node_modules"))).toEqual([]);
  expect(foreign).toEqual([]);
  expect(gzipSync(code).byteLength).toBeLessThan(8 * 1024);
});

test("its calls ask as those of the other client do", async () => {
  const asked: { url: string; init: HubFetchInit }[] = [];
  const bodies = ['{"items":[]}', '{"name":"a/b"}', "", "<html>"];
  const client = createWebClient({
    baseUrl: "https://hub",
    fetch: async (url, init) => {
      asked.push({ url, init });
      const body = bodies[asked.length - 1] ?? "";
      return { status: 200, text: async () => body };
    },
  });

  expect(await client.listAudit({ user: "x", limit: 5 })).toEqual({ items: [] });
  expect(await client.putProfile("a/b", { content: "c" })).toEqual({ name: "a/b" });
  expect(await client.removeProfile("a")).toBeUndefined();
  await expect(client.whoami()).rejects.toMatchObject({ code: "API_ANSWER_INVALID" });

  expect(asked.map(({ url, init }) => [init.method, url, init.body])).toEqual([
    ["GET", "https://hub/api/v1/audit?user=x&limit=5", undefined],
    ["PUT", "https://hub/api/v1/profiles/a%2Fb", '{"content":"c"}'],
    ["DELETE", "https://hub/api/v1/profiles/a", undefined],
    ["GET", "https://hub/api/v1/whoami", undefined],
  ]);
});

test("the hub's error keeps its code", async () => {
  const problem = { type: "urn:x", title: "t", status: 404, code: "PROFILE_NOT_FOUND", detail: "There is none." };
  const client = createWebClient({
    baseUrl: "",
    fetch: async () => ({ status: 404, text: async () => JSON.stringify(problem) }),
  });

  const thrown = await client.getProfile("none").catch((error: unknown) => error);

  expect(thrown).toBeInstanceOf(HubError);
  expect(thrown).toMatchObject({ code: "PROFILE_NOT_FOUND", httpStatus: 404 });
});

test("a path has its parameters, each in its place", () => {
  expect(pathOf("getStackRun", { name: "a/b", id: "r1" })).toBe("/api/v1/stacks/a%2Fb/runs/r1");
  expect(pathOf("startOidc")).toBe("/api/v1/auth/oidc/start");
});
