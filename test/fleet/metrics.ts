import { readFile } from "node:fs/promises";
import type { TestAgent, TestHub } from "@fairlead/testkit";
import { requestHub } from "./request-hub.ts";

/** The sum over all label sets of one of the hub's metrics; throws when the hub has no such metric. */
export async function readMetric(hub: TestHub, name: string): Promise<number> {
  const { text } = await requestHub(hub, "/metrics");
  return sumOf(text, name);
}

/** The same of an agent, which says in its log where it tells them. */
export async function readAgentMetric(agent: TestAgent, name: string): Promise<number> {
  return sumOf(await (await fetch(`${await readHealthUrl(agent)}/metrics`)).text(), name);
}

/** True when the agent says that the hub has all that it observes. */
export async function isAgentReady(agent: TestAgent): Promise<boolean> {
  return (await fetch(`${await readHealthUrl(agent)}/readyz`)).status === 200;
}

async function readHealthUrl({ logFile }: TestAgent): Promise<string | undefined> {
  return [...(await readFile(logFile, "utf8")).matchAll(/"healthUrl":"([^"]+)"/g)].at(-1)?.[1];
}

function sumOf(text: string, name: string): number {
  const samples = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  if (samples.length === 0) throw new Error(`there is no metric ${name}:\n${text.slice(0, 2000)}`);
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
