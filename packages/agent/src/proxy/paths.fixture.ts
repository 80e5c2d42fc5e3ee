// Paths as a hostile hub would spell them: encoded, doubled, climbing, with parameters, twice over.
import fc from "fast-check";

export function anyRequest(): fc.Arbitrary<{ method: string; path: string }> {
  const method = fc.constantFrom("GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
  const root = fc.constantFrom(
    "/api/v1",
    "/apis/apps/v1",
    "/apis/metrics.k8s.io/v1beta1",
    "/apis/x.example.com/v1",
    "/API/v1",
    "/api",
    "/apis/apps",
    "",
  );
  const special = fc.constantFrom("", "", "", "/watch", "/proxy", "/Watch");
  const place = fc.constantFrom(
    "",
    "",
    "/namespaces/team-a",
    "/namespaces/team-a",
    "/namespaces/kube-system",
    "/namespaces/fairlead",
    "/Namespaces/team-a",
    "/namespaces/team-a;x",
    "/namespaces",
  );
  const resource = fc.constantFrom(
    "",
    "/pods",
    "/secrets",
    "/Secrets",
    "/secrets;x",
    "/serviceaccounts",
    "/nodes",
    "/namespaces",
    "/configmaps",
    "/selfsubjectaccessreviews",
  );
  const name = fc.constantFrom("", "", "/x", "/secrets", "/watch", "/x:80", "/x;y", "/status", "/finalize");
  const sub = fc.constantFrom(
    "",
    "",
    "/exec",
    "/ephemeralcontainers",
    "/token",
    "/proxy",
    "/proxy/run/kube-system/x",
    "/status",
    "/log",
    "/exec/more",
    "/EXEC",
  );
  const query = fc.constantFrom(
    "",
    "",
    "?watch=1",
    "?watch=0&watch=1",
    "?watch=1&watch=0",
    "?%77atch=true",
    "?watch",
    "?limit=1&limit=x&watch=1",
    "?fieldSelector=metadata.name%3Dx",
    "?fieldSelector=metadata.name=x&fieldSelector=",
    "?fieldSelector=metadata.name=x,spec.nodeName=n&watch=1",
    "?watch=1;watch=0",
    "?watch=%zz",
    "?x=/../secrets",
    "?dryRun=All",
  );
  const spelling = fc.tuple(fc.nat(200), fc.constantFrom(...spellings));
  return fc
    .record({
      method,
      parts: fc.tuple(root, special, place, resource, name, sub),
      query,
      at: fc.array(spelling, { maxLength: 2 }),
    })
    .map(({ method, parts, query, at }) => {
      const plain = parts.join("") || "/";
      return { method, path: at.reduce((path, [where, spell]) => spell(path, where % path.length), plain) + query };
    });
}

export const spelledExamples: readonly string[] = [
  "/api/v1/namespaces/team-a/%73ecrets/x",
  "/api/v1/namespaces/team-a/../kube-system/secrets",
  "/api/v1/namespaces/team-a%2f..%2fkube-system/secrets",
  "/api/v1/namespaces/team-a/pods/x/ex%65c",
  "/api/v1/watch/namespaces/kube-system/secrets",
  "/api/v1/namespaces/team-a/serviceaccounts/x/%74oken",
  "/api/v1/nodes/x/proxy/../../secrets",
  "/apis/metrics.k8s.io/v1beta1/namespaces/team-a/pods",
  "/apis//v1/pods",
];

type Spell = (path: string, at: number) => string;
const spellings: readonly Spell[] = [
  (path) => path,
  (path) => `${path}/`,
  (path, at) => encode(path, at),
  (path, at) => encode(path, at).toLowerCase(),
  // Twice: a reader that decodes again would see another name.
  (path, at) => encode(path, at).replaceAll("%", "%25"),
  ...[
    "/",
    "//",
    "/./",
    "/../",
    "/%2e/",
    "/%2e%2e/",
    "/.%2E/",
    "%2f",
    "%5c",
    "\\",
    ";x",
    "%00",
    "%3b",
    "%3f",
    "%23",
    "%20",
  ].map((text): Spell => {
    return (path, at) => {
      const slash = path.indexOf("/", at);
      const where = slash < 0 ? path.length : slash;
      return path.slice(0, where) + text + path.slice(text.startsWith("/") ? where + 1 : where);
    };
  }),
];

function encode(path: string, at: number): string {
  const where = path[at] === "/" ? at + 1 : at;
  const character = path[where];
  if (character === undefined) return path;
  return `${path.slice(0, where)}%${character.charCodeAt(0).toString(16)}${path.slice(where + 1)}`;
}
