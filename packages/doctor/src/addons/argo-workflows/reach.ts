import {
  type Check,
  type CheckInput,
  changeArgument,
  destructive,
  everywhere,
  fail,
  fixBy,
  pass,
  type Verdict,
} from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import { containersOf, readFlag, readSwitch } from "../../workloads/index.ts";
import { changeField } from "./change-field.ts";
import { type Configuration, judgeConfigurations } from "./configuration.ts";

/** Which workflows the controller takes care of at all. */
export const reachChecks: readonly Check[] = [
  {
    id: "argo-workflows.all-namespaces",
    title: "The controller watches all namespaces",
    why: "With `--namespaced` or `--managed-namespace` it ignores the workflows of other namespaces: jobs there stay pending for ever.",
    severity: "required",
    features: ["jobs"],
    judge: judgeNamespaces,
  },
  {
    id: "argo-workflows.no-instance-id",
    title: "The controller takes workflows without an instance id",
    why: "With an `instanceID` it ignores each workflow that doesn't carry the same one as a label.",
    severity: "required",
    features: ["jobs"],
    judge: (input) => judgeConfigurations(input, judgeInstanceId),
  },
];

function judgeNamespaces({ installation }: CheckInput): Verdict {
  const containers = containersOf(workloadsOf(installation, "workflow-controller"));
  for (const found of containers) {
    const isNamespaced = readSwitch(found.container, "namespaced");
    const managed = readFlag(found.container, "managed-namespace");
    if (!isNamespaced && managed === undefined) continue;
    const flag = isNamespaced ? "namespaced" : "managed-namespace";
    const object = found.workload.ref;
    return fail(
      `The controller watches ${managed ?? object.namespace} alone.`,
      [{ object, path: `${found.container.path}.args`, observed: `--${flag}`, expected: `no --${flag}` }],
      fixBy({
        installation,
        chart: "argo-workflows",
        values: { singleNamespace: false },
        otherwise: changeArgument({ ...found, flag, isSwitch: isNamespaced, risk: everywhere("Argo Workflows") }),
      }),
    );
  }
  return pass("The controller watches all namespaces.");
}

function judgeInstanceId(configuration: Configuration): Verdict {
  const id = configuration.fields.at("instanceID").text();
  if (id === undefined) return pass("The controller asks for no instance id.");
  return fail(
    `The controller ignores workflows that don't have the instance id ${id}.`,
    [
      {
        object: configuration.map,
        path: configuration.layout === "document" ? "data.config: instanceID" : "data.instanceID",
        observed: id,
        expected: "no instance id",
      },
    ],
    changeField(
      configuration,
      ["instanceID"],
      undefined,
      destructive("The controller then runs workflows that are meant for others."),
    ),
  );
}
