import { expect, test } from "vitest";
import type { AuditRecord } from "../audit/index.ts";
import type { HubFetchInit } from "../fetch-send.ts";
import { createHubClient } from "./hub-client.ts";

const record: AuditRecord = {
  seq: 7,
  at: "2026-01-02T03:04:05.678Z",
  phase: "end",
  requestId: "req-1",
  who: { kind: "user", name: "alice@example.com" },
  from: "192.0.2.7",
  method: "GET",
  verb: "list",
  path: "/api/v1/pods",
  status: 200,
  hash: "00",
};
const problem = { type: "t", title: "t", status: 503, code: "AUDIT_READER_SLOW", detail: "Too slow." };

async function follow(text: string, cut: number): Promise<{ records: AuditRecord[]; url: string; error?: unknown }> {
  const bytes = new TextEncoder().encode(text);
  let asked: { url: string; init: HubFetchInit } | undefined;
  const client = createHubClient({
    baseUrl: "https://hub",
    fetch: (url, init) => {
      asked = { url, init };
      const body = (async function* () {
        yield bytes.subarray(0, cut);
        yield bytes.subarray(cut);
      })();
      return Promise.resolve({ status: 200, body, text: () => Promise.reject(new Error("it has no end")) });
    },
  });
  const records: AuditRecord[] = [];
  try {
    for await (const one of client.streamAudit({ user: "alice@example.com", verb: "list" })) records.push(one);
    return { records, url: asked?.url ?? "" };
  } catch (error) {
    return { records, url: asked?.url ?? "", error };
  }
}

test("a stream gives each record once it is whole, wherever the network cut it", async () => {
  const text = `${JSON.stringify(record)}\n\n${JSON.stringify({ ...record, path: "/ä" })}\n`;
  for (let cut = 0; cut <= text.length; cut += 1) {
    const { records, url } = await follow(text, cut);
    expect(records.map(({ path }) => path)).toEqual(["/api/v1/pods", "/ä"]);
    expect(url).toBe("https://hub/api/v1/audit/stream?user=alice%40example.com&verb=list");
  }
});

test("a problem in the middle of a stream ends it with its code", async () => {
  const { records, error } = await follow(`${JSON.stringify(record)}\n${JSON.stringify(problem)}\n`, 9);

  expect(records).toHaveLength(1);
  expect(error).toMatchObject({ code: "AUDIT_READER_SLOW", message: "Too slow." });
});

test("a line that is no record says so", async () => {
  expect((await follow("<html>\n", 3)).error).toMatchObject({ code: "API_ANSWER_INVALID" });
});
