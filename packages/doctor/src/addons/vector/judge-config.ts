import { type CheckInput, fail, unknown, type Verdict } from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import type { ObjectRef } from "../../snapshot/index.ts";
import type { Workload } from "../../workloads/index.ts";
import { readVectorConfig, type VectorPart } from "./read-config.ts";

export interface JudgedConfig {
  readonly map: ObjectRef;
  readonly parts: readonly VectorPart[];
}

/**
 * A configuration that isn't known makes the verdict unknown: it may send the same logs elsewhere. Otherwise the first
 * bad verdict counts.
 */
export function judgeConfigs(input: CheckInput, judge: (config: JudgedConfig) => Verdict): Verdict {
  const agents = collectorsOf(input);
  const verdicts = agents.map((agent) => {
    const config = readVectorConfig(input.snapshot, agent);
    if (config.is === "unknown") return unknown(`The configuration of Vector isn't known: ${config.why}.`, config.fix);
    return judge(config);
  });
  for (const worst of ["unknown", "fail", "warn"] as const) {
    const found = verdicts.find(({ is }) => is === worst);
    if (found) return found;
  }
  return verdicts[0] ?? fail("No DaemonSet of Vector collects logs of nodes.", []);
}

/** Vector also runs as an aggregator, in Deployments and StatefulSets, which reads no logs of pods. */
export function collectorsOf({ installation }: CheckInput): readonly Workload[] {
  return workloadsOf(installation, "agent").filter(({ ref }) => ref.resource === "daemonsets.apps");
}

/** A sink that writes to VictoriaLogs by the API of Elasticsearch; one per replica in newer charts. */
export function isVictoriaSink({ section, fields }: VectorPart): boolean {
  const addresses = [fields.at("endpoint"), ...fields.at("endpoints").list()];
  return (
    section === "sinks" &&
    fields.at("type").text() === "elasticsearch" &&
    addresses.some((address) => address.text()?.includes("/insert/elasticsearch"))
  );
}

/** Loki takes labels instead of stream fields, and times as Vector writes them. */
export function isLokiSink({ section, fields }: VectorPart): boolean {
  return section === "sinks" && fields.at("type").text() === "loki" && fields.at("labels").entries().length > 0;
}
