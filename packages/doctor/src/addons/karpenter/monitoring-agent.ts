import { type CheckInput, pass, safe, script, type Verdict, warn } from "../../checks/index.ts";
import { needRunning } from "../../snapshot/index.ts";
import { isImage, readWorkloads } from "../../workloads/index.ts";
import { monitoringAgentImage } from "../monitoring-agent-image.ts";

export function judgeMonitoringAgent({ snapshot }: CheckInput): Verdict {
  const agent = readWorkloads(snapshot).find(({ containers }) =>
    containers.some(({ image }) => isImage(image, monitoringAgentImage)),
  );
  if (agent) needRunning(agent.ref.resource, [agent.object]);
  if (agent) return pass(`${agent.ref.name} runs on ${agent.ready} nodes.`);
  // The check may say that it isn't there only where all DaemonSets can be seen.
  snapshot.list("daemonsets.apps");
  return warn(
    "No node monitoring agent runs.",
    [
      {
        object: { resource: "daemonsets.apps", namespace: "kube-system", name: "eks-node-monitoring-agent" },
        path: "metadata.name",
        observed: "no such object",
        expected: "a DaemonSet of the agent",
      },
    ],
    {
      is: "command",
      risk: safe,
      command: script([
        [
          "helm",
          "upgrade",
          "--install",
          "eks-node-monitoring-agent",
          "eks-node-monitoring-agent",
          "--repo",
          "https://aws.github.io/eks-node-monitoring-agent",
          "--namespace",
          "kube-system",
        ],
      ]),
    },
  );
}
