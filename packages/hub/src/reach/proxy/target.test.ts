import { describe, expect, it } from "vitest";
import { isForCluster, isRootDiscovery, readTarget } from "./target.ts";

describe("the target of a proxied request", () => {
  it.each([
    ["/k8s/clusters/east/api/v1/pods?limit=5", "east", "/api/v1/pods?limit=5"],
    ["/k8s/clusters/east", "east", "/"],
    ["/k8s/clusters/east?x=/../", "east", "/?x=/../"],
    ["/k8s/clusters/e-1/.well-known/openid-configuration", "e-1", "/.well-known/openid-configuration"],
    ["/k8s/clusters/east/a%2Fb/..c/d..", "east", "/a%2Fb/..c/d.."],
    ["/k8s/clusters/east//double", "east", "//double"],
  ])("%s is %s with %s", (url, cluster, path) => {
    expect(readTarget({ url, host: "hub.example.com" })).toEqual({ cluster, path, prefix: `/k8s/clusters/${cluster}` });
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
    expect(readTarget({ url })).toBeUndefined();
  });

  describe("with a domain of clusters", () => {
    const clusterDomain = "k8s.example.com";

    it.each([
      ["east.k8s.example.com", "/api/v1/pods?limit=5", "east", "/api/v1/pods?limit=5"],
      ["EAST.K8s.example.com:8443", "/", "east", "/"],
      ["east.k8s.example.com.", "/version", "east", "/version"],
      // All paths of the host are the cluster's.
      ["east.k8s.example.com", "/k8s/clusters/west/api", "east", "/k8s/clusters/west/api"],
    ])("%s%s is of its host's cluster", (host, url, cluster, path) => {
      expect(isForCluster({ url, host, clusterDomain })).toBe(true);
      expect(readTarget({ url, host, clusterDomain })).toEqual({ cluster, path, prefix: "" });
    });

    it.each([
      ["a.east.k8s.example.com", "/api"],
      [".k8s.example.com", "/api"],
      ["-a.k8s.example.com", "/api"],
      ["east.k8s.example.com", "/a/../b"],
      ["east.k8s.example.com", "https://west.k8s.example.com/api"],
      ["east.k8s.example.com", "*"],
    ])("%s%s is of no cluster, and not the hub's own", (host, url) => {
      expect(isForCluster({ url, host, clusterDomain })).toBe(true);
      expect(readTarget({ url, host, clusterDomain })).toBeUndefined();
    });

    it.each(["k8s.example.com", "hub.example.com", "east.k8s.example.com.evil", "eastk8s.example.com", undefined])(
      "the host %s is the hub's",
      (host) => {
        expect(isForCluster({ url: "/api/v1/whoami", host, clusterDomain })).toBe(false);
        expect(readTarget({ url: "/k8s/clusters/east/api", host, clusterDomain })).toMatchObject({ cluster: "east" });
      },
    );

    it("no host is a cluster's without one", () => {
      expect(isForCluster({ url: "/api", host: "east.k8s.example.com" })).toBe(false);
    });
  });

  it("knows where kubectl begins", () => {
    expect(isRootDiscovery("/apis?timeout=32s")).toBe(true);
    expect(isRootDiscovery("/api/v1")).toBe(false);
  });
});
