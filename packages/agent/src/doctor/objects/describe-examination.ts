import { allChecks, catalogue, type Installation, judgeFitness, type Report } from "@fairlead/doctor";
import { boundText } from "./bound.ts";
import type { ExaminedWith } from "./examined-with.ts";
import type { OwnContent } from "./own-object.ts";

/** The whole in one object, so that a matrix over a thousand clusters reads a thousand of them. */
export function describeExamination(report: Report, examinedWith: ExaminedWith): OwnContent {
  const { clusterType, addons, features, domains, gpus, hidden } = report;
  const verdicts = { pass: 0, warn: 0, fail: 0, unknown: 0 };
  for (const { verdict } of allChecks(report)) verdicts[verdict.is] += 1;
  const { is, because } = judgeFitness(report, alternativesOf);
  return {
    name: "cluster",
    labels: { "fairlead.dev/fitness": is },
    spec: {},
    status: {
      fitness: is,
      clusterType: clusterType.type,
      isTypeOverridden: clusterType.isOverridden,
      verdicts,
      because: because.slice(0, maxReasons).map((each) => ({ ...each, message: boundText(each.message, 256) })),
      addons: addons.slice(0, maxAddons).map(({ id, need, state, installation }) => ({
        id,
        need,
        state,
        ...describeVersions(id, installation),
      })),
      features: features.map(({ feature, state }) => ({ id: feature, state })),
      domains: domains.slice(0, maxDomains),
      gpus: gpus.slice(0, maxGpus).map(({ nodes, ...stock }) => ({ ...stock, nodes: nodes.length })),
      hidden: hidden.slice(0, maxHidden).map(({ resource, why }) => ({ resource, why: boundText(why, 256) })),
      examinedWith,
    },
  };
}

/** A chart that isn't the catalogue's has versions of its own. */
function describeVersions(addon: string, { version, chart }: Installation) {
  const isOurs = chart !== undefined && chart.name === catalogue.find(({ id }) => id === addon)?.install?.chart;
  return {
    ...(version !== undefined && { version: boundText(version, 64) }),
    ...(isOurs && chart.version !== undefined && { chartVersion: boundText(chart.version, 64) }),
  };
}

function alternativesOf(addon: string): readonly string[] {
  return catalogue.find(({ id }) => id === addon)?.alternatives ?? [];
}

const maxReasons = 32;
const maxAddons = 200;
const maxDomains = 200;
const maxGpus = 50;
const maxHidden = 200;
