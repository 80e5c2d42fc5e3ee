import { describe, expect, test } from "vitest";
import { locateHeader } from "./locate.ts";

const place = {
  prefix: "/k8s/clusters/east",
  path: "/api/v1/namespaces/a/pods/p:80/proxy/x/",
  host: "hub.example:8443",
};
const { prefix } = place;

describe("a reference in Location stays in its cluster", () => {
  test.each([
    ["/api/v1/namespaces/a/pods/p:80/proxy/", `${prefix}/api/v1/namespaces/a/pods/p:80/proxy/`],
    ["/", `${prefix}/`],
    ["/a?next=/b#c", `${prefix}/a?next=/b#c`],
    ["/k8s/clusters/west/api", `${prefix}/k8s/clusters/west/api`],
    // Relative ones lead where they are meant to, unless they climb out.
    ["login", "login"],
    ["?page=2", "?page=2"],
    ["../y", "../y"],
    ["", ""],
    ["../../../../../../../../../../api/v1/tokens", `${prefix}/api/v1/tokens`],
    ["/../../../api/v1/tokens", `${prefix}/api/v1/tokens`],
    ["/x/%2e%2e/%2E%2e/api", `${prefix}/api`],
    ["/..\\..\\api", `${prefix}/api`],
    ["\\api", `${prefix}/api`],
    // Of the hub's own name the cluster can know nothing but what the client said.
    ["https://hub.example:8443/api/v1/tokens", `${prefix}/api/v1/tokens`],
    ["http://HUB.example:8443/api", `${prefix}/api`],
    ["//hub.example:8443/api", `${prefix}/api`],
    ["\\\\hub.example:8443/api", `${prefix}/api`],
    // Others' hosts are others'.
    ["https://login.example/start?to=/x", "https://login.example/start?to=/x"],
    ["//cdn.example/x", "//cdn.example/x"],
    ["http://[", "http://["],
    ["mailto:a@b.example", "mailto:a@b.example"],
  ])("%s → %s", (given, expected) => {
    expect(locateHeader("location", given, place)).toBe(expected);
    expect(locateHeader("content-location", given, place)).toBe(expected);
  });

  test("whatever the client calls the hub", () => {
    for (const host of [undefined, "", "bad host", "[", "a@b"]) {
      expect(locateHeader("location", "/x", { ...place, host })).toBe(`${prefix}/x`);
      expect(locateHeader("location", "/../x", { ...place, host })).toBe(`${prefix}/x`);
    }
  });
});

test("each target of Link is rewritten, its parameters aren't", () => {
  const given = '</apis/a>; rel="next"; title="</b>", <https://else.example/c>; rel=prev, <d>; rel=up';
  const expected = `<${prefix}/apis/a>; rel="next"; title="<${prefix}/b>", <https://else.example/c>; rel=prev, <d>; rel=up`;
  expect(locateHeader("link", given, place)).toBe(expected);
});

test.each([
  ["5", "5"],
  ["5; url=/x", `5; url=${prefix}/x`],
  ['0;URL="/x"', `0;URL="${prefix}/x"`],
  ["0, /x", `0, ${prefix}/x`],
  ["0; url=https://else.example/", "0; url=https://else.example/"],
])("the target of Refresh is rewritten: %s", (given, expected) => {
  expect(locateHeader("refresh", given, place)).toBe(expected);
});
