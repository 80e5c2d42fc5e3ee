// Texts, and what Helm's fromYaml and toJson make of them. `go-yaml.real.test.ts` compares them with the real Helm.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface GoYamlVector {
  readonly yaml: string;
  readonly value: unknown;
}

export function readVectors(): readonly GoYamlVector[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "go-yaml.vectors.json"), "utf8"));
}
