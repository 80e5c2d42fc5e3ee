import { expect, test } from "vitest";
import { chartHosts } from "./chart-hosts.ts";
import { policySchema } from "./schema.ts";

const charts = (...allow: string[]) => ({ charts: { repositories: { allow } } });

test.each([
  [undefined, undefined],
  [{}, undefined],
  [charts("*"), undefined],
  [charts("https://*"), undefined],
  [charts("https://charts.example.com", "oci://*/team"), undefined],
  [{ network: { hosts: { allow: ["example.com"] } } }, undefined],
  [charts(), []],
  [charts("inline"), []],
  [charts("https://charts.example.com/stable"), ["charts.example.com:443"]],
  [charts("http://charts.example.com:8080"), ["charts.example.com:8080"]],
  [charts("oci://registry.example.com/team"), ["registry.example.com:443"]],
  [charts("ssh://git@git.example.com/charts"), ["git.example.com:22"]],
  [charts("https://*.example.com/team"), ["*.example.com:443"]],
  [
    {
      ...charts("https://charts.example.com"),
      git: { hosts: { allow: ["git.example.com"] } },
      network: { hosts: { allow: ["blobs.example.com:443"] } },
    },
    ["charts.example.com:443", "git.example.com", "blobs.example.com:443"],
  ],
  [{ ...charts("inline"), git: { hosts: { allow: ["*"] } }, network: { hosts: { allow: ["*:443", "a.b"] } } }, ["a.b"]],
])("with %j helm reaches %j", (execute, hosts) => {
  expect(chartHosts(policySchema.parse({ execute }))).toEqual(hosts);
});
