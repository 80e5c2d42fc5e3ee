// Clients that send what no client of Kubernetes would, or more than anyone reads.

import { once } from "node:events";
import { connect } from "node:net";
import { until } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import { openProxyHarness, sendRaw } from "./proxy-harness.fixture.ts";

const head = "/k8s/clusters/east/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n";

it("survives trailers that are larger than the link carries", async () => {
  await using harness = await openProxyHarness({
    upstream: (req, res) => void req.resume().on("end", () => res.end("ok")),
  });
  const trailers = Array.from({ length: 100 }, (_, at) => `X-${at}: ${"\u00ff".repeat(1_200)}\r\n`).join("");
  const socket = connect(harness.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`POST ${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n`, "latin1");
  socket.write(`${trailers}\r\n`, "latin1");
  const received: string[] = [];
  socket.on("data", (chunk) => received.push(String(chunk)));
  await once(socket, "close");
  expect(received.join("")).toMatch(/^HTTP\/1.1 200/);
  await until(() => harness.proxy.counters.active === 0, "the request's end");
});

it("lets a client finish an upload that was answered before its end", async () => {
  await using harness = await openProxyHarness({
    accept(stream) {
      stream.respond({ status: 413, headers: ["Content-Length", "0"] });
      // Late enough that the upload waits for credit by then.
      setTimeout(() => stream.end(), 200);
      return { onData() {}, onEnd() {}, onReset() {} };
    },
  });
  const sizeBytes = 64 * 1024 * 1024;
  const socket = connect(harness.port, "127.0.0.1");
  socket.on("error", () => undefined);
  const received: string[] = [];
  socket.on("data", (chunk) => received.push(String(chunk)));
  socket.write(`POST ${head}Content-Length: ${sizeBytes}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(sizeBytes), resolve));
  socket.write(`GET ${head}Connection: close\r\n\r\n`);
  await once(socket, "close");
  expect(received.join("").match(/HTTP\/1.1 413/g)).toHaveLength(2);
}, 20_000);

it("makes no tunnel of a connection", async () => {
  await using harness = await openProxyHarness();
  const answer = await sendRaw(harness.port, `CONNECT ${head}\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(answer.head).not.toMatch(/^HTTP\/1\.1 2/);
  expect(harness.streams.opened).toBe(0);
});
