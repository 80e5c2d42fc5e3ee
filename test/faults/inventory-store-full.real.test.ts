// The hub's disk fills up while a cluster is observed. Its data folder is a small tmpfs in a mount namespace of the hub's
// own, so that nothing stays mounted whatever happens.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startHub } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { create, pathOf, pod } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { startObserveFleet } from "../fleet/observe-fleet.ts";

const ownNamespace = "unshare";
const canMount = spawnSync(ownNamespace, ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

test.skipIf(!canMount)(
  "a hub whose disk is full says so, keeps what it has, and takes the rest when there is space",
  { timeout: 300_000 },
  async () => {
    await using undo = new AsyncDisposableStack();
    const stateDir = await mkdtemp(join(tmpdir(), "fairlead-hub-"));
    undo.defer(() => rm(stateDir, { recursive: true, force: true }));
    const dataDir = join(stateDir, "data");
    await mkdir(dataDir);
    const script = `mount -t tmpfs -o size=${diskMiB}m tmpfs "$0" && exec "$@"`;
    const hub = undo.use(await startHub({ stateDir, launcher: [ownNamespace, "-rm", "sh", "-c", script, dataDir] }));
    const fleet = undo.use(await startObserveFleet({ hub }));
    const { cluster, namespace, widgets } = fleet;
    await create(cluster, pathOf("pods", namespace.name), pod("before"));
    await compareWithApiServer(fleet, { namespace: namespace.name });

    const filler = `/proc/${hub.process.pid}/root${join(dataDir, "filler")}`;
    await fillDisk(filler);
    const names = Array.from({ length: 300 }, (_, index) => `large-${index}`);
    const text = randomBytes(48 * 1024).toString("base64");
    await cluster.putObjects(
      `${widgets.group}/widgets`,
      names.map((name) => ({
        apiVersion: widgets.apiVersion,
        kind: "Widget",
        metadata: { name, namespace: namespace.name },
        spec: { text: name + text },
      })),
    );
    const { age, pendingChanges = 0 } = await fleet.waitForInventory(({ age: now }) => now.state === "stale", 120_000);
    expect(age.ageMs).toBeGreaterThan(10_000);
    expect(pendingChanges).toBeGreaterThan(0);
    const pods = await fleet.list({ kind: "pods", namespace: namespace.name });
    expect(pods.map(({ name }) => name)).toEqual(["before"]);
    const { stdout } = await hub.cli(["cluster", "list", "--json"]);
    expect(stdout).toContain("The hub can't store changes");

    await rm(filler);
    await compareWithApiServer(fleet, { namespace: namespace.name, timeoutMs: 120_000 });
    await fleet.waitForInventory(({ age: now }) => now.state === "connected");
  },
);

/** Until nothing more fits. */
async function fillDisk(path: string): Promise<void> {
  const file = await open(path, "w");
  const block = Buffer.alloc(256 * 1024);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    await file.close();
  }
}

const diskMiB = 400;
