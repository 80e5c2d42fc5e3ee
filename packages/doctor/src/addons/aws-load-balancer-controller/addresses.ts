import { Fields } from "@fairlead/kernel";
import { type CheckInput, fail, few, pass, type Verdict, warn } from "../../checks/index.ts";
import { type ClusterObject, type Evidence, listByName, refTo, runningOf } from "../../snapshot/index.ts";

/** A load balancer takes some minutes to be made. */
const patienceMs = 5 * 60_000;
const classes = ["service.k8s.aws/nlb", "eks.amazonaws.com/nlb"];

export function judgeAddresses({ snapshot, now }: CheckInput): Verdict {
  const services = listByName(snapshot, "services").filter(isOurs);
  const without = services.filter((service) => !hasAddress(service));
  const late = runningOf(
    "services",
    without.filter(({ metadata }) => !isYoung(metadata.creationTimestamp, now)),
  );
  if (late.length === 0) return pass(`${services.length - without.length} Services have an address.`);
  const evidence = few(late).map(toEvidence);
  if (without.length === services.length) return fail("No Service of type LoadBalancer got an address.", evidence);
  return warn(`${late.length} of ${services.length} Services got no address.`, evidence);
}

/** Those without a class are the controller's, too, since its webhook gives them its own. */
function isOurs(service: ClusterObject): boolean {
  const spec = new Fields(service).at("spec");
  const name = spec.at("loadBalancerClass").text();
  return spec.at("type").text() === "LoadBalancer" && (name === undefined || classes.includes(name));
}

function hasAddress(service: ClusterObject): boolean {
  return new Fields(service).at("status", "loadBalancer", "ingress").list().length > 0;
}

function isYoung(created: string | undefined, now: Date): boolean {
  return created !== undefined && now.getTime() - Date.parse(created) < patienceMs;
}

function toEvidence(service: ClusterObject): Evidence {
  const object = refTo("services", service);
  return { object, path: "status.loadBalancer.ingress", observed: "nothing", expected: "an address" };
}
