import { once } from "node:events";
import type { Socket } from "node:net";
import { until } from "@fairlead/kernel/testing";
import { describe, expect, it } from "vitest";
import { openProxyHarness, sendRaw } from "./proxy-harness.fixture.ts";
import { echo, openUpgrade, upgradeText } from "./upgrades.fixture.ts";

describe("an upgrade", () => {
  it("becomes a byte pipe after 101, with early bytes, exact lines and both half-closes", async () => {
    const seen: string[] = [];
    await using harness = await openProxyHarness({
      onUpgrade(req, socket, head) {
        seen.push(...req.rawHeaders);
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nUPGRADE: SPDY/3.1\r\nX-A: 1\r\nX-A: 2\r\n\r\nhello ",
        );
        echo(socket, head);
      },
    });
    const socket = openUpgrade(harness.port, "SPDY/3.1", [
      "X-Stream-Protocol-Version: v4",
      "X-Stream-Protocol-Version: v3",
    ]);
    socket.write("early ");
    await until(() => socket.text.includes("hello "), "the upstream's first bytes");
    socket.write("later");
    socket.end();
    await once(socket, "end");
    const [head = "", ...rest] = socket.text.split("\r\n\r\n");
    expect(head.split("\r\n")).toEqual([
      "HTTP/1.1 101 Switching Protocols",
      "connection: Upgrade",
      "UPGRADE: SPDY/3.1",
      "X-A: 1",
      "X-A: 2",
    ]);
    expect(rest.join("")).toBe("hello early later");
    expect(seen.filter((name) => name === "X-Stream-Protocol-Version")).toHaveLength(2);
    expect(seen.join(" ")).not.toMatch(/authorization|good/i);
    await until(() => harness.proxy.counters.activeUpgrades === 0, "no upgrade in flight");
    expect(harness.failures).toEqual([]);
  });

  it("that the API server refuses is answered unchanged, and the connection closes", async () => {
    await using harness = await openProxyHarness({
      upstream: (_req, res) => void res.writeHead(403, { "x-why": "rbac" }).end('{"kind":"Status"}'),
      onUpgrade: (_req, socket) =>
        socket.end('HTTP/1.1 403 Forbidden\r\nX-Why: rbac\r\nContent-Length: 17\r\n\r\n{"kind":"Status"}'),
    });
    const answer = await sendRaw(harness.port, `${upgradeText("websocket")}\r\n`);
    expect([answer.status, answer.body]).toEqual([403, '{"kind":"Status"}']);
    expect(answer.head).toContain("X-Why: rbac");
    expect(answer.head).toMatch(/connection: close/i);
    await until(() => harness.proxy.counters.activeUpgrades === 0, "no upgrade in flight");
    await until(
      () => harness.hubLink.stats().streams.open + harness.hubLink.stats().streams.halfClosed === 0,
      "no stream",
    );
  });

  it("is never redirected", async () => {
    await using harness = await openProxyHarness({
      onUpgrade: (_req, socket) =>
        socket.end("HTTP/1.1 302 Found\r\nLocation: https://elsewhere/\r\nContent-Length: 0\r\n\r\n"),
    });
    const answer = await sendRaw(harness.port, `${upgradeText("websocket")}\r\n`);
    expect(answer.status).toBe(502);
    expect(answer.head + answer.body).not.toContain("elsewhere");
    expect(answer.body).toContain("PROXY_REDIRECT_REFUSED");
  });

  it.each([
    ["h2c", ""],
    ["websocket, h2c", ""],
    ["SPDY/3.1", "Content-Length: 5\r\n"],
    ["websocket", "Transfer-Encoding: chunked\r\n"],
  ])("to %s with %j is refused before any stream", async (token, extra) => {
    await using harness = await openProxyHarness();
    const answer = await sendRaw(harness.port, `${upgradeText(token)}${extra}\r\n`);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ kind: "Status", reason: "BadRequest" });
    expect(harness.streams.opened).toBe(0);
  });

  it("authenticates a browser by its subprotocol", async () => {
    await using harness = await openProxyHarness({
      onUpgrade(_req, socket) {
        socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      },
    });
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from("good").toString("base64url")}`;
    const text = upgradeText("websocket").replace("Authorization: Bearer good", `Sec-WebSocket-Protocol: ${token}`);
    expect((await sendRaw(harness.port, `${text}\r\n`)).status).toBe(101);
  });

  it("breaks off on both sides when either breaks", async () => {
    const upstreams: Socket[] = [];
    await using harness = await openProxyHarness({
      onUpgrade(_req, socket) {
        upstreams.push(socket);
        socket.on("error", () => undefined);
        socket.on("end", () => socket.end());
        socket.resume();
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      },
    });
    const first = openUpgrade(harness.port, "websocket");
    await until(() => first.text.includes("101"), "the first upgrade");
    first.resetAndDestroy();
    await until(() => upstreams[0]?.destroyed === true, "the upstream's end");
    const second = openUpgrade(harness.port, "websocket");
    await until(() => second.text.includes("101"), "the second upgrade");
    harness.agentLink.close("cut");
    await once(second, "end");
    await until(() => harness.proxy.counters.activeUpgrades === 0, "no upgrade in flight");
  });
});
