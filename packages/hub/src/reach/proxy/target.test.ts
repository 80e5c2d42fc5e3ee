import { describe, expect, it } from "vitest";
import { isRootDiscovery, readTarget } from "./target.ts";

describe("the target of a proxied request", () => {
  it.each([
    ["/k8s/clusters/east/api/v1/pods?limit=5", "east", "/api/v1/pods?limit=5"],
    ["/k8s/clusters/east", "east", "/"],
    ["/k8s/clusters/east?x=/../", "east", "/?x=/../"],
    ["/k8s/clusters/e-1/.well-known/openid-configuration", "e-1", "/.well-known/openid-configuration"],
    ["/k8s/clusters/east/a%2Fb/..c/d..", "east", "/a%2Fb/..c/d.."],
    ["/k8s/clusters/east//double", "east", "//double"],
  ])("%s is %s with %s", (url, cluster, path) => {
    expect(readTarget(url)).toEqual({ cluster, path });
  });

  it.each([
    "/k8s/clusters/",
    "/k8s/clusters/East/api",
    "/k8s/clusters/ea%2fst/api",
    "/k8s/clusters/../api",
    "/k8s/clusters/.../api",
    "/k8s/clusters/-a/api",
    `/k8s/clusters/${"a".repeat(64)}/api`,
    "/k8s/clusters/east/../west/api",
    "/k8s/clusters/east/%2e%2E/west",
    "/k8s/clusters/east/a/./b",
    "/k8s/clusters/east/a%2f..%2fb",
    "/k8s/clusters/east/a\\..\\b",
    "/k8s/clusters/east/..",
  ])("%s is none", (url) => {
    expect(readTarget(url)).toBeUndefined();
  });

  it("knows where kubectl begins", () => {
    expect(isRootDiscovery("/apis?timeout=32s")).toBe(true);
    expect(isRootDiscovery("/api/v1")).toBe(false);
  });
});
