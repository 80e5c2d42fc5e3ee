// A store of Argo CD's objects in a database of a test's own, as one or several hubs have it.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { type Bus, createMemoryAdapter, type MemoryHall, openBus } from "../../../platform/bus/index.ts";
import { openChanges } from "../../../platform/changes/index.ts";
import { type HeldLease, type Leases, openLeases } from "../../../platform/leases/index.ts";
import { readKeySeal } from "../../../platform/pki/index.ts";
import type { Store } from "../../../platform/store/index.ts";
import { openMemoryStore } from "../../../platform/store/memory-store.fixture.ts";
import { createLogger } from "../../../platform/telemetry/index.ts";
import type { ContractHarness } from "../hub-objects.contract.fixture.ts";
import type { HubObjects } from "../types.ts";
import { createStoredObjects } from "./index.ts";
import type { StoreLimits } from "./types.ts";

export interface StoreHarness extends ContractHarness {
  readonly store: Store;
  /** Opens the objects as another hub on the same database. */
  openHub(options?: HubOptions): Promise<HubObjects>;
}

interface HubOptions {
  readonly limits?: Partial<StoreLimits> | undefined;
  /** Undefined: without a key encryption key. */
  readonly keySeed?: number | undefined;
  readonly previousSeed?: number;
}

export async function openStoreHarness(options: HubOptions = { keySeed: 1 }): Promise<StoreHarness> {
  const opened = new AsyncDisposableStack();
  const store = opened.use(await openMemoryStore());
  const log = createLogger({ level: "silent", name: "test" });
  const hall: MemoryHall = new Set();
  let hubs = 0;
  let namespaces = 0;
  const held = new Map<string, HeldLease>();
  const leases = await openHubLeases();
  return {
    store,
    objects: await openHub(options),
    openHub,
    newNamespace: async () => `cluster-${++namespaces}`,
    async own(cluster) {
      await held.get(cluster)?.release();
      const lease = await leases.take(`gitops/${cluster}`);
      if (lease === undefined) throw new Error("another has it");
      held.set(cluster, lease);
      return { cluster, term: lease.fence };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };

  async function openHub({ limits, keySeed, previousSeed }: HubOptions = { keySeed: 1 }): Promise<HubObjects> {
    const bus = await openHubBus();
    const changes = opened.use(openChanges({ db: store.db, bus, clock: systemClock, log }));
    const seal = await readKeySeal({ file: keyFile(keySeed), previousFile: keyFile(previousSeed) });
    return opened.use(createStoredObjects({ db: store.db, changes, seal, clock: systemClock, limits }));
  }

  async function openHubLeases(): Promise<Leases> {
    const bus = await openHubBus();
    return opened.use(openLeases({ db: store.db, bus, hubInstanceId: "leases", clock: systemClock, log }));
  }

  async function openHubBus(): Promise<Bus> {
    const adapter = createMemoryAdapter({ hall });
    return opened.use(await openBus({ adapter, hubInstanceId: `hub_${++hubs}`, clock: systemClock, log }));
  }
}

function keyFile(seed: number | undefined): string | undefined {
  if (seed === undefined) return undefined;
  const path = join(mkdtempSync(join(tmpdir(), "fairlead-key-")), "key");
  writeFileSync(path, Buffer.alloc(32, seed).toString("base64"), { mode: 0o600 });
  return path;
}
