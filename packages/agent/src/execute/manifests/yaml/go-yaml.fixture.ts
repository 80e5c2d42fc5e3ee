// Texts, and what Helm's fromYaml and toJson make of them. `go-yaml.real.test.ts` compares them with the real Helm.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface GoYamlVector {
  readonly yaml: string;
  readonly value: unknown;
}

export function readVectors(): readonly GoYamlVector[] {
  return readFile("go-yaml.vectors.json");
}

/** Documents that Helm accepts and a set may not have. */
export function readHelmVectors(): readonly GoYamlVector[] {
  return readFile("helm-yaml.vectors.json");
}

function readFile(name: string): readonly GoYamlVector[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"));
}
