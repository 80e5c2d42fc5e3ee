import { expect, test } from "vitest";
import { readInvocation } from "../../../platform/config/index.ts";
import { readTreeEndpoint } from "./settings.ts";

const local = { listen: "127.0.0.1:1", upstream: "redis://127.0.0.1:6380" };

test("there is none unless it is asked for", () => {
  expect(read({})).toBeUndefined();
});

test("an endpoint for others than this machine has a password and TLS from files", () => {
  expect(
    read({
      listen: "0.0.0.0:6379",
      "password-file": "/p",
      "tls-cert-file": "/c",
      "tls-key-file": "/k",
      upstream: "rediss://redis.argocd",
      "upstream-ca-file": "/ca",
      "upstream-password-file": "/u",
    }),
  ).toEqual({
    listen: "0.0.0.0:6379",
    isLoopback: false,
    passwordFile: "/p",
    tls: { certFile: "/c", keyFile: "/k" },
    upstream: { host: "redis.argocd", port: 6379, username: undefined, passwordFile: "/u", tls: { caFile: "/ca" } },
  });
});

test.each(["127.0.0.1:6379", "[::1]:6379", "127.1.2.3:0"])("%s needs no password", (listen) => {
  expect(read({ listen, upstream: "redis://127.0.0.1:6380" })?.isLoopback).toBe(true);
});

test.each(["0.0.0.0:6379", ":6379", "localhost:6379", "10.0.0.1:6379", "[::]:6379", "127.0.0.1.example:6379"])(
  "%s without a password is refused",
  (listen) => {
    expect(() => read({ listen, upstream: "redis://127.0.0.1:6380" })).toThrow("a loopback address");
  },
);

test.each([
  ["a password without a listener", { "password-file": "/p" }, "the other settings of the endpoint require it"],
  ["a listener without a Redis behind it", { listen: "127.0.0.1:1" }, "requires the Redis"],
  ["a certificate without its key", { ...local, "tls-cert-file": "/c" }, "set together"],
  ["a CA without TLS", { ...local, "upstream-ca-file": "/c" }, "isn't rediss://"],
  ["a name without a password", { ...local, "upstream-username": "me" }, "it requires"],
])("%s is refused", (_, settings, reason) => {
  expect(() => read(settings)).toThrow(reason);
});

test.each(["http://redis", "redis://user:password@redis", "redis://redis/3", "redis"])(
  "the address %s is refused",
  (upstream) => {
    expect(() => read({ listen: "127.0.0.1:1", upstream })).toThrow("expected redis://HOST:PORT");
  },
);

function read(settings: Readonly<Record<string, string>>) {
  const args = Object.entries(settings).flatMap(([name, value]) => [`--argo-redis-${name}`, value]);
  const invocation = readInvocation({ args, env: {} });
  if (!("config" in invocation)) throw new Error("no configuration");
  return readTreeEndpoint(invocation.config);
}
