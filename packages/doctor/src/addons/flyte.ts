import { Fields } from "@fairlead/kernel";
import { stringify } from "yaml";
import type { Addon } from "../catalogue/index.ts";
import {
  allowConfigMap,
  type CheckInput,
  changeArgument,
  everywhere,
  fail,
  pass,
  unknown,
  type Verdict,
} from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { type ObjectRef, type Snapshot, tryParseYaml } from "../snapshot/index.ts";
import { containersOf, readFlag, type Workload } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";
import { withMember } from "./with-member.ts";

export const flyte: Addon = {
  id: "flyte",
  title: "Flyte propeller",
  need: optionalEverywhere,
  signals: {
    resources: ["flyteworkflows.flyte.lyft.com"],
    components: [{ name: "propeller", isEssential: true, images: ["flytepropeller", "tfy-workflow-propeller"] }],
  },
  checks: [
    {
      id: "flyte.all-namespaces",
      title: "The propeller takes workflows from all namespaces",
      why: "With `propeller.limit-namespace` set, workflows of all other namespaces are never started.",
      severity: "required",
      features: ["workflows"],
      judge: judgeNamespaces,
    },
  ],
  unlocks: ["workflows"],
  install: {
    chart: "tfy-workflow-propeller",
    repository: "https://truefoundry.github.io/infra-charts",
    version: "0.1.0",
    versionRange: ">=0.1.0 <0.2.0",
    namespace: "tfy-workflow-propeller",
    release: "tfy-workflow-propeller",
    order: 0,
    after: [],
    values: () => ({}),
  },
};

const flag = "propeller.limit-namespace";
const path = flag.split(".");

/** A flag wins over the files of the mounted ConfigMaps. */
function judgeNamespaces({ snapshot, installation }: CheckInput): Verdict {
  for (const propeller of workloadsOf(installation, "propeller")) {
    const verdict = judgeFlag(propeller) ?? judgeFiles(propeller, snapshot);
    if (verdict && verdict.is !== "pass") return verdict;
  }
  return pass("The propeller takes workflows from all namespaces.");
}

function judgeFlag(propeller: Workload): Verdict | undefined {
  for (const found of containersOf([propeller])) {
    const observed = readFlag(found.container, flag);
    if (observed === undefined) continue;
    if (isAll(observed)) return pass("A flag says all namespaces.");
    const evidence = { object: propeller.ref, path: `${found.container.path}.args`, observed, expected: "all" };
    return fail(
      onlyFrom(observed),
      [evidence],
      changeArgument({ ...found, flag, isSwitch: false, risk: everywhere("Flyte") }),
    );
  }
  return undefined;
}

function judgeFiles(propeller: Workload, snapshot: Snapshot): Verdict | undefined {
  const namespace = propeller.ref.namespace ?? "default";
  for (const name of mountedMaps(propeller)) {
    const sighting = snapshot.readConfigMap(namespace, name);
    if (sighting.is === "hidden") {
      return unknown(`The propeller's configuration: ${sighting.why}.`, allowConfigMap(namespace, name));
    }
    if (sighting.is === "missing") continue;
    for (const [key, file] of new Fields(sighting.configMap).at("data").entries()) {
      const verdict = judgeFile({ map: { resource: "configmaps", namespace, name }, key, text: file.text() ?? "" });
      if (verdict) return verdict;
    }
  }
  return undefined;
}

function mountedMaps({ object }: Workload): string[] {
  return new Fields(object)
    .at("spec", "template", "spec", "volumes")
    .list()
    .flatMap((volume) => [volume, ...volume.at("projected", "sources").list()])
    .flatMap((source) => source.at("configMap", "name").text() ?? [])
    .toSorted();
}

interface MountedFile {
  readonly map: ObjectRef;
  readonly key: string;
  readonly text: string;
}

function judgeFile({ map, key, text }: MountedFile): Verdict | undefined {
  const tree = tryParseYaml(text);
  const observed = new Fields(tree).at(...path).text();
  if (observed === undefined || isAll(observed)) return undefined;
  const data = { [key]: stringify(withMember(tree, path, "all")) };
  const evidence = { object: map, path: `data[${key}]: ${flag}`, observed, expected: "all" };
  return fail(onlyFrom(observed), [evidence], {
    is: "patch",
    risk: everywhere("Flyte"),
    object: map,
    type: "merge",
    patch: { data },
  });
}

function isAll(namespace: string): boolean {
  return namespace === "all" || namespace === "";
}

function onlyFrom(namespace: string): string {
  return `The propeller takes workflows from ${namespace} alone.`;
}
