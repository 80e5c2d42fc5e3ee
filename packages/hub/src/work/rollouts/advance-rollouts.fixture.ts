// A hub's process that asks for a rollout and takes it further. Its argument is the way to the database, as JSON.
import { systemClock } from "@fairlead/kernel";
import { createMemoryAdapter, openBus } from "../../platform/bus/index.ts";
import { openChanges } from "../../platform/changes/index.ts";
import { openLeases } from "../../platform/leases/index.ts";
import { openConnections } from "../../platform/store/connections.ts";
import { createLogger } from "../../platform/telemetry/index.ts";
import { openClusters } from "../../reach/clusters/index.ts";
import { createPresence } from "../../reach/clusters/presence.fixture.ts";
import { openCommands } from "../commands/index.ts";
import { createWholeNews } from "../wholes/index.ts";
import { openRollouts } from "./open.ts";

const [, , connection = "{}"] = process.argv;
const { own: db } = openConnections({ connection: JSON.parse(connection) as object, shares: { own: 4, asked: 1 } });
const log = createLogger({ level: "silent", name: "test" });
const hub = { hubInstanceId: `process ${process.pid}`, clock: systemClock, log, db };
const bus = await openBus({ ...hub, adapter: createMemoryAdapter() });
const changes = openChanges({ ...hub, bus });
const leases = openLeases({ ...hub, bus });
// As if nobody held the lease: this process works beside the hub that does.
const eager = {
  hold: (name: string, options: Parameters<typeof leases.hold>[1]) => leases.hold(`${name} too`, options),
};
const clusters = await openClusters({ ...hub, changes, links: createPresence(() => []) });
const access = {
  ...{ may: () => true, require: () => undefined, isSignedIn: () => true, onChanged: () => () => undefined },
  recall: () => alice,
};
const alice = { kind: "user", name: "alice", uid: "uid-alice", groups: [] } as const;
const news = createWholeNews(bus, "rollouts");
const { parts } = openCommands({
  ...{ ...hub, queries: db, access, clusters, keys: undefined, bus, leases: eager, isMesh: false },
  hasHadRole: async () => false,
  listHavingHadRole: async () => new Set<string>(),
});
const { rollouts } = openRollouts({ ...hub, access, clusters, parts, news, keys: undefined, leases: eager });
await rollouts.create(alice, { kind: "manifests", spec: { set: "web", manifests: "" }, all: true });
// The process ends with the one that started it.
process.stdin.resume().once("end", () => process.exit());
