// How an object is, in Argo CD's words, from what its status says. Pure: the same object is always judged the same.
// A kind that isn't known here is judged by kstatus's rules: the generation first, then well-known conditions.
import { Fields } from "@fairlead/kube";
import { assessGeneric } from "./generic.ts";
import { networkRules } from "./network.ts";
import { operatorRules } from "./operators.ts";
import { platformRules } from "./platform.ts";
import { podRules } from "./pod.ts";
import type { Assess, Assessed, Assessment } from "./types.ts";
import { workloadRules } from "./workloads.ts";

/** Undefined where health means nothing, as for a ConfigMap. Never throws. */
export function assessHealth(object: Assessed): Assessment | undefined {
  const fields = new Fields(object);
  const kind = fields.at("kind").text() ?? "";
  const group = readGroup(fields.at("apiVersion").text() ?? "");
  const rule = rules.get(group === "" ? kind : `${kind}.${group}`);
  if (fields.at("metadata", "deletionTimestamp").exists && (rule || fields.at("status").exists)) {
    return { health: "Progressing", message: "It is being deleted." };
  }
  return rule ? rule(fields) : assessGeneric(fields);
}

function readGroup(apiVersion: string): string {
  const at = apiVersion.indexOf("/");
  return at < 0 ? "" : apiVersion.slice(0, at);
}

const rules: ReadonlyMap<string, Assess> = new Map(
  Object.entries({ ...podRules, ...workloadRules, ...networkRules, ...platformRules, ...operatorRules }),
);
