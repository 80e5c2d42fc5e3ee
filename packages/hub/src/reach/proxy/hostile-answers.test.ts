// Clusters that answer what no API server would: a client keeps its connection for other clusters as well, so nothing
// of it may be read as the next answer.
import type { RawHeaders } from "@fairlead/protocol";
import { expect, it } from "vitest";
import { openProxyHarness, sendRaw } from "./proxy-harness.fixture.ts";

const get = "GET /k8s/clusters/east/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n";

it("never sends bytes behind the announced length, which would be the answer to the next request", async () => {
  await using harness = await openProxyHarness({
    accept(stream) {
      stream.respond({ status: 200, headers: ["Content-Length", "5"] });
      stream.write(Buffer.from("hello"));
      setTimeout(() => stream.write(Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")), 20);
      return { onData() {}, onEnd() {}, onReset() {} };
    },
  });
  const answer = await sendRaw(harness.port, get);
  expect(answer.body).toBe("hello");
  expect(harness.failures.map(({ error }) => error?.code)).toEqual(["PROXY_ANSWER_INVALID"]);
});

it.each<[string, RawHeaders]>([
  ["two lengths", ["Content-Length", "5", "Content-Length", "2"]],
  ["two lengths, the larger last", ["Content-Length", "2", "Content-Length", "5"]],
  ["a list of lengths", ["Content-Length", "5, 5"]],
])("refuses %s", async (_, headers) => {
  await using harness = await openProxyHarness({
    accept(stream) {
      stream.respond({ status: 200, headers });
      stream.write(Buffer.from("hello"));
      stream.end();
      return { onData() {}, onEnd() {}, onReset() {} };
    },
  });
  const answer = await sendRaw(harness.port, get.replace("Host", "Connection: close\r\nHost"));
  expect(answer.status).toBe(502);
});
