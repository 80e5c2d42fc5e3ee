// The rooms of a hub's process of its own, beside the hub of a test. Its argument is the way to the database, as JSON.
import { systemClock } from "@fairlead/kernel";
import { createMemoryAdapter, openBus } from "../../platform/bus/index.ts";
import { openChanges } from "../../platform/changes/index.ts";
import { openLeases } from "../../platform/leases/index.ts";
import { openConnections } from "../../platform/store/connections.ts";
import { createLogger } from "../../platform/telemetry/index.ts";
import { openClusters } from "../../reach/clusters/index.ts";
import { createPresence } from "../../reach/clusters/presence.fixture.ts";
import { openCommands } from "../commands/index.ts";
import { openTemplates } from "../templates/index.ts";
import { createGraphRunNews } from "./news.ts";

export const alice = { kind: "user", name: "alice", uid: "uid-alice", groups: [] } as const;

/** The process ends with the one that started it. */
export async function openOtherProcess(topic: string) {
  const [, , connection = "{}"] = process.argv;
  const { own: db } = openConnections({ connection: JSON.parse(connection) as object, shares: { own: 4, asked: 1 } });
  const log = createLogger({ level: "silent", name: "test" });
  const hub = { hubInstanceId: `process ${process.pid}`, clock: systemClock, log, db };
  const bus = await openBus({ ...hub, adapter: createMemoryAdapter() });
  const changes = openChanges({ ...hub, bus });
  const held = openLeases({ ...hub, bus });
  // As if nobody held the lease: this process works beside the hub that does.
  const leases = {
    hold: (name: string, options: Parameters<typeof held.hold>[1]) => held.hold(`${name} too`, options),
  };
  const clusters = await openClusters({ ...hub, changes, links: createPresence(() => []) });
  const access = {
    may: () => true,
    require: () => undefined,
    isSignedIn: () => true,
    onChanged: () => () => undefined,
    recall: () => alice,
    refuseAbsent: () => undefined,
    partyOf: () => [alice.uid],
  };
  const { uses: templates } = openTemplates({ db, access, clusters });
  const { parts } = openCommands({
    ...hub,
    queries: db,
    access,
    clusters,
    keys: undefined,
    bus,
    leases,
    templates,
    isMesh: false,
    hasHadRole: async () => false,
    listHavingHadRole: async () => new Set<string>(),
  });
  process.stdin.resume().once("end", () => process.exit());
  return { ...hub, access, clusters, parts, templates, news: createGraphRunNews(bus, topic), keys: undefined, leases };
}
