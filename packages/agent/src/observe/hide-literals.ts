import type { KeyObject } from "node:crypto";
import { isRawNumber } from "@fairlead/kernel";
import type { KubeObject } from "@fairlead/kube";
import { hashValue } from "./hide-values.ts";

/**
 * Replaces what people write into objects although it belongs into a Secret: values of environment variables, wherever
 * a list or map `env` of names and values stands (pods, templates of workloads, custom resources), and the values and
 * parameters that an Argo CD application gives to Helm. References (`valueFrom`) stay. Changes the object in place.
 */
export function hideLiterals(object: KubeObject, salt: KeyObject): KubeObject {
  const place = `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
  for (const field in object) if (field !== "metadata") walk(object[field], field);
  return object;

  function walk(value: unknown, field: string): void {
    if (typeof value !== "object" || value === null || isRawNumber(value)) return;
    if (Array.isArray(value)) {
      if (field === "env") value.forEach(hideVariable);
      for (const item of value) walk(item, "");
      return;
    }
    const record = value as Record<string, unknown>;
    if (field === "helm") hideHelm(record);
    if (field === "env" || field === "envVars") hideMap(record);
    for (const member in record) walk(record[member], member);
  }

  function hideVariable(variable: unknown): void {
    if (typeof variable !== "object" || variable === null) return;
    const record = variable as Record<string, unknown>;
    if (typeof record["name"] === "string" && isLiteral(record["value"])) {
      record["value"] = hash(`env\0${record["name"]}`, record["value"]);
    }
  }

  /** Some custom resources have variables as a map. */
  function hideMap(variables: Record<string, unknown>): void {
    for (const name in variables) {
      const value = variables[name];
      const isPlain = typeof value !== "object" || isRawNumber(value);
      if (isPlain && isLiteral(value)) variables[name] = hash(`env\0${name}`, value);
    }
  }

  function hideHelm(helm: Record<string, unknown>): void {
    for (const member of ["values", "valuesObject"]) {
      if (helm[member] !== undefined) helm[member] = hash(`helm\0${member}`, helm[member]);
    }
    const { parameters } = helm;
    if (!Array.isArray(parameters)) return;
    for (const parameter of parameters as Record<string, unknown>[]) {
      if (isLiteral(parameter?.["value"])) {
        parameter["value"] = hash(`helm\0parameters\0${String(parameter["name"])}`, parameter["value"]);
      }
    }
  }

  function hash(field: string, value: unknown): string {
    return hashValue(salt, `${place}\0${field}`, value);
  }
}

/** An empty value hides nothing, and saying that it is empty helps. */
function isLiteral(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
