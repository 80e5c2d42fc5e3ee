import { Fields } from "@fairlead/kernel";
import { type CheckInput, fail, pass, safe, type Verdict } from "../../checks/index.ts";
import { listByName } from "../../snapshot/index.ts";

const resource = "ingressclasses.networking.k8s.io";
const controllers = ["ingress.k8s.aws/alb", "eks.amazonaws.com/alb"];

export function judgeIngressClass({ snapshot }: CheckInput): Verdict {
  const found = listByName(snapshot, resource).find((each) =>
    controllers.includes(new Fields(each).at("spec", "controller").text() ?? ""),
  );
  if (found) return pass(`The ingress class ${found.metadata.name} is the controller's.`);
  const [controller = ""] = controllers;
  const object = {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "alb" },
    spec: { controller },
  };
  return fail(
    "No ingress class is the controller's.",
    [{ object: { resource, name: "alb" }, path: "spec.controller", observed: "no such object", expected: controller }],
    { is: "manifest", risk: safe, objects: [object] },
  );
}
