// A hub's process that applies a stack and takes the run further. Its argument is the way to the database, as JSON.
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
import { openStacks } from "./open.ts";

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
const news = createWholeNews(bus, "stack runs");
const { parts } = openCommands({
  ...{ ...hub, queries: db, access, clusters, keys: undefined, bus, leases: eager, isMesh: false },
  hasHadRole: async () => false,
  listHavingHadRole: async () => new Set<string>(),
});
const { stacks } = openStacks({ ...hub, access, parts, news, keys: undefined, leases: eager });
const toResource = (index: number) => ({
  cluster: "east",
  kind: "manifests" as const,
  spec: { set: `s${index}`, manifests: "" },
});
const resources = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`r${index}`, toResource(index)]));
await stacks.run(alice, "web", { action: "apply", resources });
// The process ends with the one that started it.
process.stdin.resume().once("end", () => process.exit());
