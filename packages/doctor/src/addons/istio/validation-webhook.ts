import { Fields } from "@fairlead/kernel";
import { type Check, type CheckInput, fail, kubectl, pass, safe, script, type Verdict } from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import { type ClusterObject, needRunning, refTo } from "../../snapshot/index.ts";

const resource = "validatingwebhookconfigurations.admissionregistration.k8s.io";

export const validationWebhook: Check = {
  id: "istio.validation-webhook",
  title: "Istio checks its resources with a certificate of its own",
  why: "The control plane writes its CA into the webhook when it starts. Without it the API server can't call the webhook: wrong Gateways are taken, or right ones refused.",
  severity: "required",
  features: ["ingress", "endpoint-authentication", "intercepts"],
  // Where Google runs the control plane there is no webhook of ours.
  appliesTo: ({ installation }) => installation.presence.is === "installed",
  judge: judgeWebhook,
};

function judgeWebhook({ snapshot, installation }: CheckInput): Verdict {
  const own = snapshot.list(resource).filter(isIstios);
  const lacking = own.flatMap((configuration) =>
    new Fields(configuration)
      .at("webhooks")
      .list()
      .flatMap((webhook, index) => (webhook.at("clientConfig", "caBundle").text() ? [] : [{ configuration, index }])),
  );
  if (lacking.length === 0) {
    return pass(own.length === 0 ? "No webhook checks Istio's resources." : "Each webhook has its CA.");
  }
  needRunning(
    resource,
    lacking.map(({ configuration }) => configuration),
  );
  const [discovery] = workloadsOf(installation, "discovery");
  return fail(
    "The API server can't trust Istio's webhook: it has no CA.",
    lacking.map(({ configuration, index }) => ({
      object: refTo(resource, configuration),
      path: `webhooks[${index}].clientConfig.caBundle`,
      observed: "absent",
      expected: "the CA of istiod",
    })),
    discovery && {
      is: "command",
      risk: safe,
      command: script([
        kubectl({
          verb: ["rollout", "restart"],
          namespace: discovery.ref.namespace,
          args: [`deployment/${discovery.ref.name}`],
        }),
      ]),
    },
  );
}

function isIstios(configuration: ClusterObject): boolean {
  const isLabelled = new Fields(configuration).at("metadata", "labels", "app").text() === "istiod";
  return isLabelled || /^(istio-validator-|istiod-.*validator)/.test(configuration.metadata.name);
}
