// The controller's ConfigMap. Its name is an argument, and its contents have two layouts: one YAML document under the key
// `config`, which wins, or one key for each field.
import { Fields } from "@fairlead/kernel";
import { allowConfigMap, type CheckInput, unknown, type Verdict } from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import { type ObjectRef, parseYaml } from "../../snapshot/index.ts";
import { readFlag, type Workload } from "../../workloads/index.ts";

export interface Configuration {
  readonly controller: Workload;
  readonly map: ObjectRef;
  readonly fields: Fields;
  /** Where a field stands, for evidence and patches. */
  readonly layout: "document" | "fields";
}

/** Asks the judge about each controller's configuration, and answers with what is worst. */
export function judgeConfigurations(input: CheckInput, judge: (configuration: Configuration) => Verdict): Verdict {
  const verdicts = workloadsOf(input.installation, "workflow-controller").map((controller) => {
    const found = readConfiguration(input, controller);
    return "is" in found ? found : judge(found);
  });
  const order: readonly Verdict["is"][] = ["fail", "unknown", "warn", "pass"];
  const [worst] = verdicts.toSorted((one, other) => order.indexOf(one.is) - order.indexOf(other.is));
  return worst ?? unknown("The controller isn't there.");
}

function readConfiguration({ snapshot }: CheckInput, controller: Workload): Configuration | Verdict {
  const namespace = controller.ref.namespace ?? "default";
  const name = nameOfMap(controller);
  const map: ObjectRef = { resource: "configmaps", namespace, name };
  const sighting = snapshot.readConfigMap(namespace, name);
  switch (sighting.is) {
    case "hidden":
      return unknown(`The controller's configuration: ${sighting.why}.`, allowConfigMap(namespace, name));
    case "missing":
      return { controller, map, fields: new Fields({}), layout: "fields" };
    case "seen": {
      const data = new Fields(sighting.configMap).at("data");
      const fields = parseData(data);
      if (!fields) return unknown(`The contents of ConfigMap ${namespace}/${name} aren't YAML.`);
      return { controller, map, fields, layout: data.at("config").exists ? "document" : "fields" };
    }
    default:
      return sighting satisfies never;
  }
}

function nameOfMap({ containers }: Workload): string {
  for (const container of containers) {
    const name = readFlag(container, "configmap");
    if (name !== undefined) return name;
  }
  return "workflow-controller-configmap";
}

function parseData(data: Fields): Fields | undefined {
  try {
    const document = data.at("config").text();
    if (document !== undefined) return new Fields(parseYaml(document));
    const members = data.entries().map(([key, value]) => [key, parseYaml(value.text() ?? "")]);
    return new Fields(Object.fromEntries(members));
  } catch {
    return undefined;
  }
}
