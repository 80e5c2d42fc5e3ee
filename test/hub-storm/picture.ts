// Compares the hubs' pictures of clusters at the end: each hub shows exactly what the API servers have.
import { setTimeout as delay } from "node:timers/promises";
import type { ObjectList } from "@fairlead/contract";
import type { TestHub } from "@fairlead/testkit";
import { ask } from "./ask.ts";
import type { Ground, Harness } from "./harness.ts";

const atOnce = 4;

/** A copy at one hub. */
interface Shown {
  readonly hub: TestHub;
  readonly number: number;
  readonly ground: Ground;
  readonly name: string;
}

/** Looks at all copies again and again until each is right, or the time for all of them is over. */
export async function checkPicture(harness: Harness, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let wrong: readonly Shown[] = harness.hubs.hubs.flatMap((hub, index) =>
    harness.grounds.flatMap((ground) => ground.agents.map(({ name }) => ({ hub, number: index + 1, ground, name }))),
  );
  for (;;) {
    const found = await findWrong(wrong);
    wrong = [...found.keys()];
    if (wrong.length === 0) return;
    if (performance.now() > deadline)
      return found.forEach((what, { number, name }) => {
        harness.breaks(`hub ${number} shows ${name} wrong: ${what}`);
      });
    await delay(250);
  }
}

async function findWrong(copies: readonly Shown[]): Promise<ReadonlyMap<Shown, string>> {
  const wanted = new Map<Ground, ReadonlySet<string>>();
  for (const { ground } of copies) if (!wanted.has(ground)) wanted.set(ground, new Set(await listThere(ground)));
  const wrong = new Map<Shown, string>();
  const queue = [...copies];
  await Promise.all(Array.from({ length: atOnce }, look));
  return wrong;

  async function look(): Promise<void> {
    for (let copy = queue.shift(); copy !== undefined; copy = queue.shift()) {
      const what = compare(wanted.get(copy.ground) ?? new Set(), await listShown(copy));
      if (what !== undefined) wrong.set(copy, what);
    }
  }
}

function compare(wanted: ReadonlySet<string>, shown: readonly string[] | string): string | undefined {
  if (typeof shown === "string") return shown;
  const there = new Set(shown);
  const lacking = wanted.difference(there);
  const surplus = there.difference(wanted);
  if (lacking.size + surplus.size === 0) return undefined;
  const [example] = [...lacking, ...surplus];
  return `of ${wanted.size} ConfigMaps ${lacking.size} are lacking and ${surplus.size} too many, such as ${example}`;
}

async function listThere({ cluster, namespace }: Ground): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const { items } = await cluster.api.json<{ items: { metadata: Version }[] }>({ path });
  return items.map(({ metadata }) => describe(metadata));
}

/** A text where there was no answer. */
async function listShown({ hub, ground, name }: Shown): Promise<readonly string[] | string> {
  const shown: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const about = { kind: "configmaps", cluster: name, namespace: ground.namespace, include: "object", limit: "500" };
    const query = new URLSearchParams({ ...about, ...(cursor !== "" && { cursor }) });
    const answer = await ask(hub, `/api/v1/objects?${query}`);
    if (answer?.status !== 200) return `it answers ${answer?.status} ${answer?.text ?? ""}`;
    const page = answer.json() as ObjectList;
    for (const { object } of page.items) shown.push(describe((object as { metadata: Version }).metadata));
    cursor = page.next;
  }
  return shown;
}

interface Version {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

function describe({ name, uid, resourceVersion }: Version): string {
  return `${name} ${uid} ${resourceVersion}`;
}
