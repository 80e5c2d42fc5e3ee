// Agents without a cluster that report objects each, until the hub has all of them.
import type { TestHub } from "@fairlead/testkit";
import { enrollAgents } from "../harness/enrolled-agents.ts";
import { kinds, makeDeployment, makePod } from "./fleet-objects.ts";
import { type ReportingAgent, startReporting } from "./reporting-agent.ts";

const reportersAtOnce = 4;

export async function fillFleet(options: {
  hub: TestHub;
  clusters: number;
  perCluster: number;
  say: (text: string) => void;
}): Promise<ReportingAgent[]> {
  const { hub, clusters, perCluster, say } = options;
  const enrolled = await enrollAgents({ hub, count: clusters, prefix: "fleet", roles: ["observe"], say });
  const reporting: ReportingAgent[] = [];
  await Promise.all(Array.from({ length: reportersAtOnce }, fillSome));
  return reporting;

  async function fillSome(): Promise<void> {
    for (let agent = enrolled.pop(); agent; agent = enrolled.pop()) {
      const { cluster } = agent;
      const one = await startReporting({ hub, agent, kinds });
      await one.report(
        0,
        Array.from({ length: perCluster }, (_, index) => makePod(cluster, index)),
      );
      await one.report(1, [makeDeployment(cluster, 0)]);
      one.finish();
      reporting.push(one);
      if (reporting.length % 25 === 0) say(`${reporting.length} clusters are there`);
    }
  }
}
