// A watch that is taken up where it broke off. Nothing that happened may be missing, whatever broke it off.
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { streamLines } from "../fleet/stream-lines.ts";
import { configMaps, type Ground, type Harness } from "./harness.ts";
import { listNames } from "./requests.ts";

export interface StormWatch extends AsyncDisposable {
  /** Breaks the harness unless it comes to have seen all that is there. */
  check(): Promise<void>;
}

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly name: string; readonly resourceVersion: string } };
}

const patienceMs = 90_000;

export async function startWatch(harness: Harness, ground: Ground): Promise<StormWatch> {
  const { name } = harness.chance.pick(ground.agents);
  const seen = new Set(await listNames(ground));
  let version = await readVersion(ground);
  for (const each of await listNames(ground)) seen.add(each);
  const stop = new AbortController();
  const following = follow();
  return {
    async check() {
      const missing = async () => (await listNames(ground)).filter((each) => !seen.has(each));
      if (await waitUntil(async () => (await missing()).length === 0, { timeoutMs: patienceMs })) return;
      const lost = await missing();
      harness.breaks(
        `a watch of ${name} lacks ${lost.length} of what is there, such as ${lost[0]}, at version ${version}`,
      );
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
    },
  };

  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}`;
      await streamLines({
        server: harness.hubs.behind,
        path: `${configMaps(ground, name)}?${query}`,
        token: harness.hubs.behind.adminToken,
        signal: stop.signal,
        onAnswer: (status) => harness.count(status === 200 ? "watches begun" : "watches refused"),
        onLine: take,
      });
      await delay(250);
    }
  }

  function take(line: string): void {
    const { type, object } = parse(line);
    // The hub's word that the stream broke: what is behind has a Status, and no version.
    if (type === "ERROR") {
      harness.count("watches told that they broke");
      return;
    }
    if (object.metadata === undefined) {
      harness.breaks(`a watch of ${name} was sent ${line.slice(0, 200)}`);
      return;
    }
    version = object.metadata.resourceVersion;
    if (type !== "ADDED") return;
    if (seen.has(object.metadata.name)) harness.count("watched names that were known");
    seen.add(object.metadata.name);
  }

  function parse(line: string): WatchEvent {
    try {
      return JSON.parse(line) as WatchEvent;
    } catch {
      return { type: "BROKEN", object: {} };
    }
  }
}

async function readVersion({ cluster, namespace }: Ground): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const { metadata } = await cluster.api.json<{ metadata: { resourceVersion: string } }>({ path });
  return metadata.resourceVersion;
}
