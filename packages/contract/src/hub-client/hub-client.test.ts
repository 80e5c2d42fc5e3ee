import { isFairleadError } from "@fairlead/kernel";
import { expect, test } from "vitest";
import type { HubFetch, HubFetchInit } from "../fetch-send.ts";
import { createHubClient } from "./hub-client.ts";

function answering(status: number, body: unknown): { fetch: HubFetch; calls: { url: string; init: HubFetchInit }[] } {
  const calls: { url: string; init: HubFetchInit }[] = [];
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    calls,
    fetch: (url, init) => {
      calls.push({ url, init });
      return Promise.resolve({ status, text: () => Promise.resolve(text) });
    },
  };
}

const problem = {
  type: "urn:fairlead:error:CLUSTER_NOT_FOUND",
  title: "CLUSTER_NOT_FOUND",
  status: 404,
  code: "CLUSTER_NOT_FOUND",
  detail: "There is no cluster 'east'.",
  hint: "List them.",
  requestId: "req_1",
};

test("a call carries the token, a request id and its body", async () => {
  const { fetch, calls } = answering(201, {
    token: "flj_x",
    expiresAt: "2026-01-01T00:00:00Z",
    hubAgentUrl: "https://hub:8444",
    command: "fairlead-agent",
  });
  const client = createHubClient({ baseUrl: "https://hub:8443/", token: "secret", fetch });

  await client.createJoinToken("east", { tokenTtlMs: 5000 });

  expect(calls[0]?.url).toBe("https://hub:8443/api/v1/clusters/east/tokens");
  expect(calls[0]?.init.method).toBe("POST");
  expect(calls[0]?.init.headers).toMatchObject({
    authorization: "Bearer secret",
    "content-type": "application/json",
    "x-request-id": expect.stringMatching(/^req_[0-9a-z]{26}$/),
  });
  expect(JSON.parse(calls[0]?.init.body ?? "")).toEqual({ tokenTtlMs: 5000 });
});

test("a name can't leave its place in the path", async () => {
  const { fetch, calls } = answering(204, "");

  await createHubClient({ baseUrl: "https://hub", fetch }).removeCluster("../whoami?x=");

  expect(calls[0]?.url).toBe("https://hub/api/v1/clusters/..%2Fwhoami%3Fx%3D");
});

test.each(["a\nb", "x;touch y", "../x", "-v", "$(id)", "", "A"])(
  "a hub that calls a cluster %j isn't believed",
  async (name) => {
    const at = "2026-01-01T00:00:00Z";
    const toItem = (called: string) => ({ name: called, labels: {}, roles: [], state: "connected", createdAt: at });
    const list = (called: string) =>
      createHubClient({
        baseUrl: "https://hub",
        fetch: answering(200, { items: [toItem(called)] }).fetch,
      }).listClusters();
    await expect(list(name)).rejects.toMatchObject({ message: expect.stringMatching(/items\.0\.name/) });
    const error: unknown = await list("east").catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error) ?? "").not.toContain("items.0.name");
  },
);

test("the hub's problem keeps its code, hint, status and request id", async () => {
  const { fetch } = answering(404, problem);

  await expect(createHubClient({ baseUrl: "https://hub", fetch }).getCluster("east")).rejects.toMatchObject({
    code: "CLUSTER_NOT_FOUND",
    message: problem.detail,
    hint: problem.hint,
    httpStatus: 404,
    requestId: "req_1",
    retryable: false,
  });
});

test.each([
  [502, "<html>bad gateway</html>", "API_ANSWER_FOREIGN"],
  [302, "", "API_ANSWER_FOREIGN"],
  [200, "<html>welcome</html>", "API_ANSWER_INVALID"],
  [200, { items: [{ name: "east" }] }, "API_ANSWER_INVALID"],
])("status %i with %j is %s", async (status, body, code) => {
  const { fetch } = answering(status, body);

  await expect(createHubClient({ baseUrl: "https://hub", fetch }).listClusters()).rejects.toMatchObject({ code });
});

test("a failing network is told apart from a failing hub, and says why", async () => {
  const fetch: HubFetch = () =>
    Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") }));

  await expect(createHubClient({ baseUrl: "https://hub", fetch }).whoami()).rejects.toMatchObject({
    code: "API_UNREACHABLE",
    message: expect.stringContaining("ECONNREFUSED 127.0.0.1:1"),
    retryable: true,
  });
});

test("an aborted call rejects with the signal's reason", async () => {
  const controller = new AbortController();
  const fetch: HubFetch = (_, init) =>
    new Promise((_resolve, reject) => init.signal?.addEventListener("abort", () => reject(new Error("socket closed"))));
  const call = createHubClient({ baseUrl: "https://hub", fetch }).version({ signal: controller.signal });
  const reason = new Error("changed my mind");
  controller.abort(reason);

  const thrown = await call.catch((error: unknown) => error);

  expect(thrown).toBe(reason);
  expect(isFairleadError(thrown)).toBe(false);
});

test("a command's log comes as its bytes, and a refusal as the hub's error", async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("one\n\u00e4".repeat(2)).subarray(0, 6);
    yield Buffer.from("\n");
  }
  const asked: string[] = [];
  const fetch: HubFetch = async (url) => {
    asked.push(url);
    const gone = { ...problem, code: "COMMAND_LOG_GONE", status: 410 };
    if (url.includes("cmd_old")) return { status: 410, text: async () => JSON.stringify(gone) };
    return { status: 200, body: pieces(), text: async () => "" };
  };
  const client = createHubClient({ baseUrl: "https://hub:8443", fetch });
  const read = async (id: string) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of client.readCommandLog(id, { offset: 3, follow: true })) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  expect((await read("cmd_1")).byteLength).toBe(7);
  expect(asked).toEqual(["https://hub:8443/api/v1/commands/cmd_1/log?offset=3&follow=true"]);
  await expect(read("cmd_old")).rejects.toMatchObject({ code: "COMMAND_LOG_GONE", httpStatus: 410 });
});
