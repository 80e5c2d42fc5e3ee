// The vectors are what the real Helm says.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openHelm } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { readHelmVectors, readVectors } from "./go-yaml.fixture.ts";

test("Helm reads the vectors as they say", async () => {
  const vectors = [...readVectors(), ...readHelmVectors()];
  await using helm = await openHelm();
  const chart = join(await helm.writeValues({ texts: vectors.map(({ yaml }) => yaml) }), "..", "chart");
  await mkdir(join(chart, "templates"), { recursive: true });
  await writeFile(join(chart, "Chart.yaml"), "apiVersion: v2\nname: vectors\nversion: 1.0.0\n");
  const items = "[{{ range $i, $text := .Values.texts }}{{ if $i }},{{ end }}{{ fromYaml $text | toJson }}{{ end }}]";
  const template = `{"apiVersion":"v1","kind":"Vectors","metadata":{"name":"all"},"items":${items}}\n`;
  await writeFile(join(chart, "templates", "all.yaml"), template);
  const values = await helm.writeValues({ texts: vectors.map(({ yaml }) => yaml) });
  const { stdout } = await helm.run(["template", "vectors", chart, "--values", values]);
  const { items: found } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { items: unknown[] };
  expect(vectors.map(({ yaml }, index) => ({ yaml, value: found[index] }))).toEqual(vectors);
});
