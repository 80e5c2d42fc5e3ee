import { expect, test } from "vitest";
import { digestInIndex } from "./repository-index.ts";

const digest = "a".repeat(64);
const yaml = `apiVersion: v1
entries:
  other:
  - version: 1.0.0
    digest: ${"b".repeat(64)}
  thing:
  - apiVersion: v2
    name: thing
    description: |-
      other:
        - version: 1.0.0
    version: 1.1.0
    digest: sha256:${"c".repeat(64)}
  - version: "1.0.0"
    digest: ${digest}
generated: "2026-01-01T00:00:00Z"
`;
const json = JSON.stringify({ entries: { thing: [{ version: "1.0.0", digest }] } });

test.each([
  ["in YAML", yaml, { chart: "thing", version: "1.0.0" }, `sha256:${digest}`],
  ["with its algorithm", yaml, { chart: "thing", version: "1.1.0" }, `sha256:${"c".repeat(64)}`],
  ["in JSON", json, { chart: "thing", version: "1.0.0" }, `sha256:${digest}`],
  ["of another version", yaml, { chart: "thing", version: "9.0.0" }, undefined],
  ["of another chart", yaml, { chart: "thin", version: "1.0.0" }, undefined],
])("a digest %s", (_name, index, source, expected) => {
  expect(digestInIndex(index, source)).toBe(expected);
});
