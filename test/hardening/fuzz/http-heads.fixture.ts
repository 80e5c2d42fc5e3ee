// What of a request's head decides where it goes and as whom: targets, header lines and addresses.
import assert from "node:assert/strict";
import { readRequestAttributes } from "@fairlead/kube";
import fc from "fast-check";
import { readAddress, readAuthority } from "../../../packages/agent/src/execute/egress/read-target.ts";
import { readRequestLines } from "../../../packages/agent/src/proxy/headers.ts";
import { readTarget } from "../../../packages/hub/src/reach/proxy/target.ts";
import { hostileText } from "./hostile.ts";
import { type Fuzzer, readOr, rule } from "./rule.ts";

const paths = [
  "/k8s/clusters/east/api/v1/namespaces/shop/pods/web/log?container=a&watch=1",
  "/k8s/clusters/east/apis/apps/v1/watch/namespaces/shop/deployments?fieldSelector=metadata.name%3Dweb",
  "/k8s/clusters/east/api/v1/namespaces/shop/services/https:web:443/proxy/a%2f..%2fb",
  "/k8s/clusters/e/version",
];
const headerNames = [
  "Authorization",
  "Impersonate-User",
  "impersonate_group",
  "X-Remote-Extra-a",
  "Connection",
  "Content-Length",
  "Transfer-Encoding",
  "Upgrade",
  "Sec-WebSocket-Protocol",
  "Audit-Id",
  "Host",
  "Accept",
];
const headerValues = [
  "close",
  "keep-alive, Accept",
  "5",
  "05",
  "chunked",
  "base64url.bearer.authorization.k8s.io.eA",
  "a",
];
// The link lets no others through.
const token = hostileText(headerNames).filter((name) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name));
const pair = fc.tuple(token, hostileText(headerValues));
const upper = fc
  .tuple(fc.constantFrom(...headerNames), fc.boolean())
  .map(([name, isUpper]) => (isUpper ? name.toUpperCase() : name));
const likely = fc.tuple(upper, fc.constantFrom(...headerValues));

export const httpHeads: Fuzzer = {
  parser: "HTTP heads",
  rules: [
    rule("a target stays below its cluster's path, however a server normalizes it", {
      input: hostileText(paths),
      check(url) {
        const target = readTarget({ url });
        if (target === undefined) return;
        assert.deepEqual(readTarget({ url: `/k8s/clusters/${target.cluster}${target.path}` }), target);
        if (!/^[\x21-\x7e]*$/.test(target.path)) return;
        const [path = ""] = target.path.split("?");
        for (const once of [path, tryDecode(path)]) {
          const { pathname } = new URL(`http://hub.test/k8s/clusters/east/${once.replaceAll(/[?#]/g, "")}`);
          assert.ok(pathname.startsWith("/k8s/clusters/east/"), `${once} leads to ${pathname}`);
        }
      },
    }),
    rule("a request is about one object, whichever way its path is read", {
      input: fc.tuple(fc.constantFrom("GET", "POST", "DELETE", "PATCH"), hostileText(paths), fc.boolean()),
      check([method, text, upgrade]) {
        const path = text.replace(/^\/k8s\/clusters\/[^/]*/, "");
        const attributes = readRequestAttributes({ method, path, upgrade });
        if (attributes === undefined) return;
        const { namespace, resource, name, subresource, isResource } = attributes;
        for (const part of [namespace, resource, name, subresource]) {
          assert.doesNotMatch(part, /[/\\\0]/);
          assert.ok(part !== "." && part !== "..");
        }
        if (!isResource) assert.deepEqual([namespace, resource, name, subresource], ["", "", "", ""]);
        // A second slash would make another path of it for whoever cleans paths.
        if (isResource && subresource !== "proxy" && !path.includes("/proxy/")) {
          assert.doesNotMatch(attributes.path.slice(0, -1), /\/\//);
        }
      },
    }),
    rule("no line of a caller's says who they are, and a body has one length", {
      input: fc.array(fc.oneof(pair, likely), { maxLength: 6 }),
      check(pairs) {
        const read = readOr(() => readRequestLines(pairs.flat()));
        if (read === undefined) return;
        assert.equal(read.lines.length % 2, 0);
        const names = read.lines.filter((_, index) => index % 2 === 0).map((name) => name.trim().toLowerCase());
        for (const name of names) {
          assert.doesNotMatch(name, /^(?:authorization$|impersonate[-_]|x[-_]remote[-_])/);
          assert.ok(!["connection", "content-length", "transfer-encoding", "upgrade", "host"].includes(name));
        }
        const lengths = pairs
          .filter(([name]) => name.toLowerCase() === "content-length")
          .map(([, value]) => Number(value));
        for (const length of lengths) assert.equal(length, read.contentLength);
      },
    }),
    rule("an address of a program's is the host that a URL means, or refused by a code", {
      input: hostileText([
        "git.example:443",
        "[::1]:8080",
        "10.0.0.1:80",
        "http://charts.example/index.yaml?x=1",
        "http://[fe80::1]:80/a",
        "http://user@charts.example/",
        "0x7f.1:80",
        "2130706433:80",
      ]),
      check(text) {
        const authority = readOr(() => readAuthority(text));
        if (authority) checkHost(authority.host, `http://${text}`);
        const address = readOr(() => readAddress(text));
        if (address === undefined) return;
        assert.ok(address.path.startsWith("/"));
        checkHost(address.target.host, text);
      },
    }),
  ],
};

/** What a URL can't hold at all is looked up by nobody. */
function checkHost(host: string, text: string): void {
  if (!URL.canParse(text)) return;
  const { hostname } = new URL(`http://${host.includes(":") ? `[${host}]` : host}`);
  assert.equal(hostname, new URL(text).hostname.replace(/\.$/, ""));
}

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
