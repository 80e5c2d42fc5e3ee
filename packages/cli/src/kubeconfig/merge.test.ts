import fc from "fast-check";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { createEntries } from "./entries.ts";
import { isAllManaged, mergeKubeconfig } from "./merge.ts";

const hubContext = { name: "p", hub: "https://hub.example.com:8443", ca: "-----BEGIN CERTIFICATE-----\nAA==\n" };

function entriesOf(clusters: readonly string[], more: { hub?: string; prefix?: string; token?: string } = {}) {
  const { hub = hubContext.hub, prefix = "fairlead-", token = "flb_1" } = more;
  const credential = { kind: "token", token } as const;
  return clusters.map((cluster) => createEntries({ hubContext: { ...hubContext, hub }, cluster, prefix, credential }));
}

function merge(text: string, entries: ReturnType<typeof entriesOf>): string {
  return mergeKubeconfig({ file: "config", text, entries });
}

// Names and values that YAML 1.1 would take for something else than text are among them.
const name = fc.oneof(fc.constantFrom("on", "no", "1e3", "0x10", "~", "a: b", "#x", "kind", ""), fc.string());
const body = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)));
const list = (key: string) =>
  fc.uniqueArray(fc.record({ name, [key]: body }), { selector: (entry) => entry.name as string, maxLength: 4 });
const foreignConfig = fc.record(
  {
    apiVersion: fc.constant("v1"),
    kind: fc.constant("Config"),
    preferences: body,
    "current-context": name,
    clusters: fc.option(list("cluster")),
    users: list("user"),
    contexts: list("context"),
  },
  { requiredKeys: [] },
);
const clusterNames = fc.uniqueArray(fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/), { maxLength: 4 });

test("whatever is in a kubeconfig, all that isn't ours means the same afterwards", () => {
  fc.assert(
    fc.property(foreignConfig, clusterNames, fc.boolean(), (config, clusters, asJson) => {
      const before = asJson ? JSON.stringify(config) : stringify(config);
      const after = parse(merge(before, entriesOf(clusters)));

      for (const section of ["clusters", "users", "contexts"] as const) {
        const foreign = config[section] ?? [];
        expect(after[section].slice(0, foreign.length)).toEqual(foreign);
        expect(after[section].slice(foreign.length).map((entry: { name: string }) => entry.name)).toEqual(
          clusters.map((cluster) => `fairlead-${cluster}`),
        );
      }
      expect(after.preferences).toEqual(config.preferences);
      if (config["current-context"]) expect(after["current-context"]).toBe(config["current-context"]);
    }),
  );
});

test("merging twice is merging once", () => {
  fc.assert(
    fc.property(foreignConfig, clusterNames, (config, clusters) => {
      const once = merge(stringify(config), entriesOf(clusters));

      expect(merge(once, entriesOf(clusters))).toBe(once);
    }),
  );
});

test("comments, order and spelling of what isn't ours stay", () => {
  const text = `# mine\nkind: Config\nclusters:\n  # the lab\n  - name: "lab" # home\n    cluster: { server: 'https://lab', x: 0x1f }\n`;

  const merged = merge(text, entriesOf(["east"]));

  for (const line of ["# mine", "# the lab", '- name: "lab" # home', "server: 'https://lab', x: 0x1f"]) {
    expect(merged).toContain(line);
  }
});

test("an entry of ours gets the new token and keeps what people set on it", () => {
  const first = parse(merge("", entriesOf(["east"])));
  first.contexts[0].context.namespace = "shop";
  first.clusters[0].cluster["proxy-url"] = "http://proxy";
  first.users[0].user.exec = { command: "evil" };

  const second = parse(merge(stringify(first), entriesOf(["east"], { token: "flb_2" })));

  expect(second.contexts[0].context).toMatchObject({ namespace: "shop", cluster: "fairlead-east" });
  expect(second.clusters[0].cluster["proxy-url"]).toBe("http://proxy");
  expect(second.users).toHaveLength(1);
  expect(Object.keys(second.users[0].user)).toEqual(["token", "extensions"]);
  expect(second.users[0].user.token).toBe("flb_2");
});

test.each([
  ["someone else", "clusters: [{name: fairlead-east, cluster: {server: 'https://x'}}]"],
  ["someone else", "users: [{name: fairlead-east, user: {}}]"],
  ["someone else", "contexts: [{name: fairlead-east}]"],
  ["the hub https://other", merge("", entriesOf(["east"], { hub: "https://other" }))],
  ["the hub https://hub.example.com:8443", merge("", entriesOf(["t"], { prefix: "fairlead-eas" }))],
])("an entry that belongs to %s is refused, not taken over", (owner, text) => {
  expect(() => merge(text, entriesOf(["east"]))).toThrow(
    expect.objectContaining({ code: "CLI_KUBECONFIG_TAKEN", message: expect.stringContaining(owner) }),
  );
});

test.each(["[]", "just text", "clusters: {}", "users: east", "a: [", "a: 1\na: 2"])(
  "%j can't be merged with",
  (text) => {
    expect(() => merge(text, entriesOf(["east"]))).toThrow(expect.objectContaining({ code: "CLI_KUBECONFIG_INVALID" }));
  },
);

test("texts of ours are quoted: kubectl would read a plain on, no or 123 as something else", () => {
  const merged = merge("", entriesOf(["on", "123"], { prefix: "" }));

  expect(merged).toContain('- name: "on"');
  expect(merged).toContain('- name: "123"');
  expect(merged).toContain('current-context: "on"');
});

test("only a file whose every entry is ours may be replaced", () => {
  const ours = merge("", entriesOf(["east"]));

  expect(isAllManaged("config", "")).toBe(true);
  expect(isAllManaged("config", ours)).toBe(true);
  expect(isAllManaged("config", merge("users: [{name: me, user: {}}]", entriesOf(["east"])))).toBe(false);
});

test.each([
  "a\nb: c",
  "x'; touch y; '",
  '"',
  "../../etc",
  "-v",
  "$(id)",
  "a#b",
  "\u2028",
  "&a",
  "*a",
  "!!map",
  "<<",
  "__proto__",
])("a name such as %j is one text wherever it is written, and leads nowhere else", (evil) => {
  const foreign = { clusters: [{ name: evil, cluster: { server: evil } }], contexts: [{ name: evil, context: {} }] };
  const text = merge(stringify(foreign), entriesOf([evil], { prefix: "own-" }));
  const { clusters, contexts, users } = parse(text);
  expect([clusters[0], contexts[0]]).toEqual([foreign.clusters[0], foreign.contexts[0]]);
  expect([clusters, contexts, users].map((list) => list.at(-1).name)).toEqual([
    `own-${evil}`,
    `own-${evil}`,
    `own-${evil}`,
  ]);
  expect(contexts.at(-1).context).toMatchObject({ cluster: `own-${evil}`, user: `own-${evil}` });
  const [, path = ""] =
    /^https:\/\/hub\.example\.com:8443\/k8s\/clusters\/([^/?#\s]+)$/.exec(clusters.at(-1).cluster.server) ?? [];
  expect(decodeURIComponent(path)).toBe(evil);
  expect(merge(text, entriesOf([evil], { prefix: "own-" }))).toBe(text);
});
