import assert from "node:assert/strict";
import { loadKubeconfig } from "@fairlead/kube";
import { KubeConfig } from "@kubernetes/client-node";
import fc from "fast-check";
import { stringify } from "yaml";
import { readKubeconfigEntry } from "../../../packages/kube/src/access/kubeconfig-file.ts";
import { hostileText } from "./hostile.ts";
import { type Fuzzer, hasCode, readOr, rule } from "./rule.ts";

const valid = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "main",
  contexts: [{ name: "main", context: { cluster: "east", user: "ann", namespace: "shop" } }],
  clusters: [{ name: "east", cluster: { server: "https://east.example:6443", "tls-server-name": "east" } }],
  users: [{ name: "ann", user: { token: "secret-token" } }],
};
const anchored = stringify(valid).replace("clusters:", "x: &a [*b]\nclusters:");
const samples = [stringify(valid), JSON.stringify(valid), anchored, `%YAML 1.1\n---\n${stringify(valid)}`];
const name = fc.oneof(
  fc.stringMatching(/^[a-z0-9@.:-]{1,12}$/),
  fc.constantFrom("__proto__", "constructor", "1e3", "yes"),
);

export const kubeconfigs: Fuzzer = {
  parser: "kubeconfigs",
  rules: [
    rule("any text is an entry, or refused by a code that says no credential", {
      input: hostileText(samples),
      check(text) {
        const entry = readOr(
          () => readKubeconfigEntry({ text }),
          (error) => hasCode(error) && !String((error as Error).message).includes("secret-token"),
        );
        if (entry === undefined) return;
        for (const fields of [entry.cluster, entry.user]) assert.equal(typeof fields, "object");
        assert.equal(typeof entry.contextName, "string");
      },
    }),
    rule("any text is an access to one server, or refused by a code", {
      input: hostileText(samples.filter((text) => !text.includes("certificate"))),
      cases: 150,
      async check(text) {
        // Files and plugins of a machine are none of this test's.
        if (/exec|certificate|key|tokenFile/.test(text)) return;
        try {
          const { server } = await loadKubeconfig({ text });
          assert.match(server.protocol, /^https?:$/);
        } catch (error) {
          if (!hasCode(error)) throw error;
        }
      },
    }),
    rule("of several contexts the one is taken that Kubernetes' own client takes", {
      input: fc.record({
        names: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
        chosen: fc.nat(),
        isJson: fc.boolean(),
      }),
      cases: 150,
      check({ names, chosen, isJson }) {
        const current = names[chosen % names.length] ?? "";
        const config = {
          "current-context": current,
          contexts: names.map((one) => ({ name: one, context: { cluster: one, user: one } })),
          clusters: names.map((one, index) => ({ name: one, cluster: { server: `https://c${index}.example` } })),
          users: names.map((one) => ({ name: one, user: { token: `t-${one}` } })),
        };
        const text = isJson ? JSON.stringify(config) : stringify(config);
        const other = new KubeConfig();
        other.loadFromString(text);
        const entry = readKubeconfigEntry({ text });
        assert.equal(entry.contextName, other.getCurrentContext());
        assert.equal(entry.cluster["server"], other.getCurrentCluster()?.server);
        assert.equal(entry.user["token"], other.getCurrentUser()?.token);
      },
    }),
  ],
};
