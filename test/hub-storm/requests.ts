// Requests of their own connections: reads, and writes whose names are kept once they are acknowledged.
import { setTimeout as delay } from "node:timers/promises";
import { ask } from "./ask.ts";
import { configMaps, type Ground, type Harness, marker, pickTarget } from "./harness.ts";

/** Reads what tells the API servers apart. */
export async function keepReading(harness: Harness): Promise<void> {
  while (!harness.over.aborted) {
    const { ground, name } = pickTarget(harness);
    const answer = await ask(harness.hubs.behind, `${configMaps(ground, name)}/${marker}`);
    harness.count(answer?.status === 200 ? "reads answered" : "reads failed");
    if (answer?.status === 200) {
      const { data } = answer.json() as { data?: { name?: string } };
      if (data?.name !== ground.namespace) harness.breaks(`a read of ${name} was answered by another API server`);
    }
    await delay(50);
  }
}

/** Writes of one client: each name is its own. Some of its objects it changes later, and some it deletes. */
export async function keepWriting(
  harness: Harness,
  client: number,
  acknowledged: Map<Ground, Set<string>>,
): Promise<void> {
  for (let number = 0; !harness.over.aborted; number++) {
    const { ground, name } = pickTarget(harness);
    const path = configMaps(ground, name);
    const held = acknowledged.get(ground) ?? new Set();
    const own = [...held].find((each) => each.startsWith(`w-${client}-`));
    if (own !== undefined && number % 4 === 1) {
      const body = JSON.stringify({ metadata: { annotations: { change: String(number) } } });
      const headers = { "content-type": "application/merge-patch+json" };
      const answer = await ask(harness.hubs.behind, `${path}/${own}`, { method: "PATCH", body, headers });
      harness.count(answer?.status === 200 ? "changes acknowledged" : "changes failed");
    } else if (own !== undefined && number % 4 === 3) {
      // It may be gone without an answer.
      held.delete(own);
      const answer = await ask(harness.hubs.behind, `${path}/${own}`, { method: "DELETE" });
      harness.count(answer?.status === 200 ? "deletions acknowledged" : "deletions failed");
    } else {
      const object = `w-${client}-${number}`;
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: object } });
      const answer = await ask(harness.hubs.behind, path, { method: "POST", body });
      if (answer?.status === 201) held.add(object);
      harness.count(answer?.status === 201 ? "writes acknowledged" : "writes failed");
    }
    await delay(100);
  }
}

/** Asks the API servers themselves. */
export async function checkWrites(
  harness: Harness,
  acknowledged: ReadonlyMap<Ground, ReadonlySet<string>>,
): Promise<void> {
  for (const [ground, names] of acknowledged) {
    const held = new Set(await listNames(ground));
    const lost = [...names].filter((name) => !held.has(name));
    if (lost.length > 0) harness.breaks(`${lost.length} acknowledged writes are lost, such as ${lost[0]}`);
  }
}

export async function listNames({ cluster, namespace }: Ground): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const { items } = await cluster.api.json<{ items: { metadata: { name: string } }[] }>({ path });
  return items.map(({ metadata }) => metadata.name);
}
