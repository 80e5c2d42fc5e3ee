// A thousand clusters, each with its own name, key and certificate, on one hub: what an idle link costs, and how long
// it takes until all are back after the hub was killed. The agents live in this process.
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { startHub } from "@fairlead/testkit";
import { enrollAgents } from "../harness/enrolled-agents.ts";
import { type IdleAgent, keepConnected } from "../harness/idle-agent.ts";
import { readResidentBytes } from "../harness/memory.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";

const settleMs = 20_000;

export async function measureIdleLinks(options: { count: number; say: (text: string) => void }): Promise<Row[]> {
  const { count, say } = options;
  await using hub = await startHub();
  const enrolled = await enrollAgents({ hub, count, prefix: "idle", roles: ["proxy"], say });
  const agents: IdleAgent[] = enrolled.map((agent) => ({ ...agent, link: undefined }));
  // A hub without the garbage of a thousand enrollments.
  await hub.stop();
  await hub.start();
  await delay(settleMs);
  const before = readResidentBytes(hub.process.pid);
  const stop = new AbortController();
  const keeping = agents.map((agent) => keepConnected({ agent, hub, signal: stop.signal }));
  const areConnected = () => agents.every((agent) => agent.link !== undefined);
  await expectSoon(`${count} links are up`, areConnected);
  // Memory that the handshakes left behind isn't the links' cost: V8 collects it after some idle seconds.
  await delay(settleMs);
  const perLinkKiB = (readResidentBytes(hub.process.pid) - before) / 1024 / count;

  say(`killing the hub under ${count} links`);
  await hub.stop("KILL");
  await expectSoon("all links are seen to be gone", () => agents.every((agent) => agent.link === undefined));
  await hub.start();
  const start = performance.now();
  await expectSoon("all links are back", areConnected);
  const stormSeconds = (performance.now() - start) / 1000;
  stop.abort();
  await Promise.all(keeping);
  return [
    {
      name: `hub memory per idle link (${count})`,
      unit: "KiB",
      figures: { fairlead: perLinkKiB },
      targets: [atMost(perLinkKiB, 100, "KiB")],
    },
    {
      name: `${count} agents back after the hub is up again`,
      unit: "s",
      figures: { fairlead: stormSeconds },
      targets: [atMost(stormSeconds, 15, "s")],
    },
  ];
}

async function expectSoon(what: string, check: () => boolean): Promise<void> {
  if (!(await waitUntil(check, { timeoutMs: 120_000 }))) throw new Error(`waited two minutes in vain until ${what}`);
}
