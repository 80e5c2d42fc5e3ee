import { describe, expect, it } from "vitest";
import { bearerOf, passRequestHeaders, passResponseHeaders, passTrailers, passUpgradeHeaders } from "./headers.ts";

const place = { prefix: "/k8s/clusters/east", path: "/api", host: "hub.example" };

describe("request headers", () => {
  it("keep their order, their case and their repeated lines", () => {
    const raw = ["X-B", "1", "x-stream-protocol-version", "v5", "X-Stream-Protocol-Version", "v4", "Accept", "a, b"];
    expect(passRequestHeaders(raw, undefined, "id-1")).toEqual([...raw, "X-Request-Id", "id-1", "Audit-ID", "id-1"]);
  });

  it.each([
    "Authorization",
    "AUTHORIZATION",
    "Impersonate-User",
    "impersonate-group",
    "IMPERSONATE-UID",
    "Impersonate-Extra-scopes",
    "Impersonate-Anything-New",
    "X-Remote-User",
    "x-remote-extra-a",
    "Impersonate_User",
    "X_Remote_User",
    "Cookie",
    "Transfer-Encoding",
    "TE",
    "Keep-Alive",
    "Proxy-Authorization",
    "Upgrade",
    "Host",
    "Audit-ID",
    "X-Forwarded-For",
    "X-Real-IP",
    "Forwarded",
  ])("lose %s", (name) => {
    const passed = passRequestHeaders([name, "smuggled", "Accept", "x"], undefined, "id");
    expect(passed).not.toContain("smuggled");
    expect(passed).toContain("Accept");
  });

  it("say where the request is from by the hub's word alone", () => {
    const raw = ["X-Forwarded-For", "10.0.0.1", "Accept", "x"];
    const passed = passRequestHeaders(raw, undefined, "id", "192.0.2.7");
    expect(passed.join()).toBe("Accept,x,X-Request-Id,id,Audit-ID,id,X-Forwarded-For,192.0.2.7");
  });

  it("lose what Connection names, and still carry the request's id when it names that", () => {
    const raw = ["Connection", "close, X-Secret, X-Request-Id, Audit-ID", "X-Secret", "s", "Accept", "x"];
    const passed = passRequestHeaders(raw, "close, X-Secret, X-Request-Id, Audit-ID", "id");
    expect(passed).toEqual(["Accept", "x", "X-Request-Id", "id", "Audit-ID", "id"]);
  });
});

describe("upgrade headers", () => {
  it("carry the upgrade and not the browser's token", () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from("good").toString("base64url")}`;
    const raw = [
      "Upgrade",
      "websocket",
      "Connection",
      "Upgrade",
      "Sec-WebSocket-Protocol",
      `${token}, v5.channel.k8s.io`,
    ];
    const passed = passUpgradeHeaders(raw, { connection: "Upgrade", upgrade: "websocket", requestId: "id" });
    expect(passed.join("\n")).not.toContain("bearer");
    expect(passed).toContain("v5.channel.k8s.io");
    expect(passed.slice(-4)).toEqual(["Connection", "Upgrade", "Upgrade", "websocket"]);
    expect(bearerOf({ "sec-websocket-protocol": `${token}, v5.channel.k8s.io` })).toBe("Bearer good");
  });
});

describe("trailers", () => {
  it("say neither who asks nor where a message ends", () => {
    const harmless = ["X-Sum", "42", "x-kube-trace", "1"];
    const raw = [
      "Impersonate-User",
      "root",
      "impersonate-group",
      "system:masters",
      "X-Remote-User",
      "root",
      "Authorization",
      "Bearer x",
      "Content-Length",
      "5",
      "Transfer-Encoding",
      "chunked",
      "Host",
      "x",
      "Set-Cookie",
      "a=b",
      "Upgrade",
      "h2c",
      "X-Request-Id",
      "mine",
      "Audit-ID",
      "mine",
    ];
    expect(passTrailers([...raw, ...harmless])).toEqual(harmless);
  });
});

describe("response headers", () => {
  it.each(["Set-Cookie", "Strict-Transport-Security", "Clear-Site-Data", "Alt-Svc", "Service-Worker-Allowed"])(
    "can't set %s for the hub's own origin",
    (name) => {
      expect(passResponseHeaders([name, "x", "A", "1"], "id", place).headers).toEqual(["A", "1", "X-Request-Id", "id"]);
    },
  );

  it("lose those of the hop and what Connection names", () => {
    const raw = [
      "Connection",
      "close, X-Hop",
      "X-Hop",
      "1",
      "Transfer-Encoding",
      "chunked",
      "Audit-Id",
      "a",
      "A",
      "1",
      "A",
      "2",
    ];
    const { headers, contentLength } = passResponseHeaders(raw, "id", place);
    expect(headers).toEqual(["Audit-Id", "a", "A", "1", "A", "2", "X-Request-Id", "id"]);
    expect(contentLength).toBe(-1);
  });

  it("tell the length, and drop an announcement of trailers beside it", () => {
    const { headers, contentLength } = passResponseHeaders(["Content-Length", "12", "Trailer", "X-T"], "id", place);
    expect(contentLength).toBe(12);
    expect(headers).not.toContain("Trailer");
    expect(passResponseHeaders(["Content-Length", "1e3"], "id", place).contentLength).toBeNaN();
  });
});
