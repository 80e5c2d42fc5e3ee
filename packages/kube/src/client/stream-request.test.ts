import { waitUntil } from "@fairlead/kernel/testing";
import { expect, test } from "vitest";
import { type ScriptedApi, type ScriptedCall, startScriptedApi } from "./scripted-api.fixture.ts";
import { openStream, type StreamRequest } from "./stream-request.ts";

const megabyte = Buffer.alloc(1_000_000, "x");

function open(api: ScriptedApi, options: Partial<StreamRequest> = {}): Promise<AsyncGenerator<Buffer, void, void>> {
  const { signal } = new AbortController();
  return openStream({ client: api.client, path: "/api/v1/pods?limit=5", signal, silentMs: 10_000, ...options });
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Writes as fast as it is read, for ever. */
function pour({ response }: ScriptedCall): void {
  const more = (): void => {
    while (!response.destroyed && response.write(megabyte));
  };
  response.on("drain", more);
  more();
}

test("the server waits for a reader that doesn't read, and goes on with it", async () => {
  await using api = await startScriptedApi(pour);
  const stream = await open(api);
  const sent = () => api.calls[0]?.response.socket?.bytesWritten ?? 0;
  let lastSent = -1;
  const isStalled = async () => {
    const before = lastSent;
    lastSent = sent();
    return lastSent > 0 && lastSent === before;
  };
  expect(await waitUntil(isStalled, { timeoutMs: 10_000, intervalMs: 200 })).toBe(true);
  // The two kernels keep some for a connection, and we a quarter of a MiB.
  expect(sent()).toBeLessThan(20e6);
  let takenBytes = 0;
  while (takenBytes < 50e6) takenBytes += (await stream.next()).value?.length ?? 0;
  await stream.return();
  expect(await waitUntil(() => api.calls[0]?.response.destroyed === true, patient)).toBe(true);
});

test("the time that a reader takes for itself is no silence", async () => {
  await using api = await startScriptedApi(({ response }) => {
    response.write("a");
    setTimeout(() => response.end("b"), 50);
  });
  const texts: string[] = [];
  for await (const chunk of await open(api, { silentMs: 200 })) {
    texts.push(chunk.toString());
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  expect(texts).toEqual(["a", "b"]);
});

test("an answer that stops in the middle is given up", async () => {
  await using api = await startScriptedApi(({ response }) => void response.write("a"));
  const stream = await open(api, { silentMs: 50 });
  await expect(readAll(stream)).rejects.toMatchObject({ code: "KUBE_SILENT", retryable: true });
  expect(await waitUntil(() => api.client.pool.stats().running === 0, patient)).toBe(true);
});

test("an answer that doesn't begin is given up", async () => {
  await using api = await startScriptedApi(() => undefined);
  await expect(open(api, { headTimeoutMs: 50 })).rejects.toMatchObject({ code: "KUBE_TIMEOUT" });
});

test("an answer that is cut off doesn't look whole", async () => {
  await using api = await startScriptedApi(({ response }) => {
    response.write("a");
    setTimeout(() => response.destroy(), 20);
  });
  await expect(readAll(await open(api))).rejects.toMatchObject({ code: "KUBE_UNREACHABLE" });
});

test("a refusal is the API server's own, and one without end is cut short", async () => {
  await using api = await startScriptedApi((call) => {
    if (call.query.has("endless")) {
      call.response.writeHead(403);
      pour(call);
    } else call.response.writeHead(403).end(JSON.stringify({ kind: "Status", message: "not for you" }));
  });
  await expect(open(api)).rejects.toMatchObject({ code: "KUBE_FORBIDDEN", message: "not for you" });
  await expect(open(api, { path: "/x?endless" })).rejects.toMatchObject({ code: "KUBE_FORBIDDEN" });
  expect(await waitUntil(() => api.client.pool.stats().running === 0, patient)).toBe(true);
});

test.each(["before it begins", "in the middle"])("it ends %s with the reason of its signal", async (when) => {
  await using api = await startScriptedApi(({ response }) => {
    if (when === "in the middle") response.write("a");
  });
  const stop = new AbortController();
  const reason = new Error("enough");
  setTimeout(() => stop.abort(reason), 50);
  const reading = open(api, { signal: stop.signal }).then((stream) => readAll(stream));
  await expect(reading).rejects.toBe(reason);
  expect(await waitUntil(() => api.client.pool.stats().running === 0, patient)).toBe(true);
});

const patient = { timeoutMs: 10_000, intervalMs: 5 };
