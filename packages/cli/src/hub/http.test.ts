import { createServer as createTcpServer, type Server } from "node:net";
import { expect, test } from "vitest";
import { startContractHub } from "../testing/hub.fixture.ts";
import { createHubFetch } from "./http.ts";

const get = { method: "GET", headers: {} };

test("a hub is trusted by its own CA and by no other", async () => {
  await using hub = await startContractHub();
  await using other = await startContractHub();

  const answer = await createHubFetch({ ca: hub.authority.caPem })(`${hub.url}/api/v1/version`, get);
  expect(answer.status).toBe(200);

  const misplaced = createHubFetch({ ca: other.authority.caPem })(`${hub.url}/api/v1/version`, get);
  await expect(misplaced).rejects.toMatchObject({ code: "CLI_HUB_UNTRUSTED" });
});

test("redirects aren't followed: the token is for this hub only", async () => {
  await using hub = await startContractHub();
  hub.answer = { status: 302, body: "" };

  const answer = await createHubFetch({ ca: hub.authority.caPem })(`${hub.url}/x`, get);

  expect(answer.status).toBe(302);
});

test("someone who listens and says nothing counts as unreachable", async () => {
  await using silent = await startSilentServer();

  const fetching = createHubFetch({ timeoutMs: 100 })(silent.url, get);

  await expect(fetching).rejects.toThrow("no answer within 0.1 s");
});

test("an aborted request ends at once", async () => {
  await using silent = await startSilentServer();
  const controller = new AbortController();

  const fetching = createHubFetch({})(silent.url, { ...get, signal: controller.signal });
  controller.abort();

  await expect(fetching).rejects.toThrow();
});

async function startSilentServer(): Promise<AsyncDisposable & { url: string }> {
  const sockets = new Set<{ destroy(): void }>();
  const server: Server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
