import { Fields } from "@fairlead/kernel";
import { type Check, type CheckInput, pass, type Verdict, warn } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { listByName, needRunning, type Snapshot } from "../snapshot/index.ts";
import { podsOf } from "../workloads/index.ts";
import { isInstalled } from "./is-installed.ts";

/** Checks that a controller calls AWS by a role of its own: by its service account (IRSA), or by EKS Pod Identity. */
export function identityCheck(options: { readonly addon: string; readonly features: Check["features"] }): Check {
  const { addon, features } = options;
  return {
    id: `${addon}.identity`,
    title: "The controller has a role of its own at AWS",
    why: "Without one it calls AWS with the rights of the node that it happens to run on: each pod there could do the same, and on most nodes the rights aren't there at all.",
    severity: "recommended",
    features,
    appliesTo: isInstalled,
    judge: judgeIdentity,
  };
}

const roleAnnotation = "eks.amazonaws.com/role-arn";
/** EKS' webhooks write them into pods; a template may have them, too. */
const roleVariables = ["AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_ROLE_ARN"];

function judgeIdentity({ snapshot, installation }: CheckInput): Verdict {
  for (const controller of workloadsOf(installation, "controller")) {
    const { namespace = "default" } = controller.ref;
    const name = new Fields(controller.object).at("spec", "template", "spec", "serviceAccountName").text() ?? "default";
    if (hasRole(snapshot, namespace, name)) continue;
    if (hasRoleVariable(new Fields(controller.object).at("spec", "template"))) continue;
    // A webhook writes the variables of EKS Pod Identity into pods when they start.
    needRunning(controller.ref.resource, [controller.object]);
    if (podsOf(controller, snapshot).some((pod) => hasRoleVariable(new Fields(pod)))) continue;
    const object = { resource: "serviceaccounts", namespace, name };
    return warn(`${controller.ref.name} has no role of its own.`, [
      {
        object,
        path: `metadata.annotations["${roleAnnotation}"]`,
        observed: "nothing",
        expected: "a role, or an EKS Pod Identity association",
      },
    ]);
  }
  return pass("The controller has a role of its own.");
}

function hasRole(snapshot: Snapshot, namespace: string, name: string): boolean {
  return listByName(snapshot, "serviceaccounts").some(
    ({ metadata }) =>
      metadata.namespace === namespace &&
      metadata.name === name &&
      new Fields(metadata).at("annotations", roleAnnotation).exists,
  );
}

function hasRoleVariable(pod: Fields): boolean {
  return pod
    .at("spec", "containers")
    .list()
    .flatMap((container) => container.at("env").list())
    .some((entry) => roleVariables.includes(entry.at("name").text() ?? ""));
}
