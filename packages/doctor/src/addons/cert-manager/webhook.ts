import { Fields } from "@fairlead/kernel";
import { type CheckInput, fail, kubectl, pass, type Script, safe, script, type Verdict } from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import { formatRef, listByName, needRunning, refTo } from "../../snapshot/index.ts";
import { runningWorkloads } from "../../workloads/index.ts";

const configurations = "validatingwebhookconfigurations.admissionregistration.k8s.io";

export function judgeWebhook({ snapshot, installation }: CheckInput): Verdict {
  const webhooks = workloadsOf(installation, "webhook");
  const [webhook] = webhooks;
  if (!webhook) return fail("The webhook isn't there.", []);
  if (webhooks.every(({ ready }) => ready === 0)) {
    runningWorkloads(webhooks);
    return fail(`No pod of ${formatRef(webhook.ref)} is ready.`, [
      { object: webhook.ref, path: "status.readyReplicas", observed: "0", expected: "at least 1" },
    ]);
  }
  const found = listByName(snapshot, configurations)
    .flatMap((object) => entriesOf(new Fields(object)).map((entry) => ({ object, ...entry })))
    .filter(({ client }) => client.at("service", "namespace").text() === webhook.ref.namespace);
  const bare = found.find(({ client }) => client.at("caBundle").text() === undefined);
  // The cainjector writes it once it runs.
  if (bare) needRunning(configurations, [bare.object]);
  if (!bare) return pass(`${formatRef(webhook.ref)} is ready.`);
  return fail(
    "The API server doesn't know the webhook's authority.",
    [
      {
        object: refTo(configurations, bare.object),
        path: `webhooks[${bare.index}].clientConfig.caBundle`,
        observed: "nothing",
        expected: "the authority that the cainjector writes",
      },
    ],
    { is: "command", risk: safe, command: restart(installation) },
  );
}

function entriesOf(configuration: Fields): { readonly index: number; readonly client: Fields }[] {
  return configuration
    .at("webhooks")
    .list()
    .map((entry, index) => ({ index, client: entry.at("clientConfig") }));
}

/** The cainjector writes what is missing when it starts. */
function restart(installation: CheckInput["installation"]): Script {
  const { namespace = "cert-manager", name = "cert-manager-cainjector" } =
    workloadsOf(installation, "cainjector")[0]?.ref ?? {};
  return script([kubectl({ verb: ["rollout", "restart"], namespace, args: [`deployment/${name}`] })]);
}
