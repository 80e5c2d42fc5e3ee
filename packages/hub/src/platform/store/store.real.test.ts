// The store on real disks: killed, opened twice, without space, read-only. Disks are small tmpfs mounts in a mount
// namespace of the child's own, so nothing stays mounted whatever happens.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type StoreProcess, startStoreProcess } from "./folder/store-process.fixture.ts";
import { openStore } from "./store.ts";

let folder: string;
let dataDir: string;
const children = new Set<StoreProcess>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-store-"));
  dataDir = join(folder, "data");
});
afterEach(async () => {
  for (const child of children) await child[Symbol.asyncDispose]();
  children.clear();
  await rm(folder, { recursive: true, force: true });
});

describe("a store on disk", () => {
  it("holds all that was written when its hub is killed, and opens again at once", async () => {
    const hub = startChild("hold");
    expect(await hub.next()).toBe("open");
    await expect(openStore({ dataDir })).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await hub.kill();

    await using store = await openStore({ dataDir });
    const rows = await sql<{ text: string }>`select text from junk`.execute(store.db);
    expect(rows.rows).toEqual([{ text: "written" }]);
  });

  it("survives a kill while it is being made", async () => {
    const hub = startChild("hold");
    await expect.poll(() => readdir(join(dataDir, "postgres")).catch(() => [])).toContain("18.new");
    await hub.kill();
    expect(await readdir(join(dataDir, "postgres"))).not.toContain("18");

    await using store = await openStore({ dataDir });
    await store.check();
    expect(await readdir(join(dataDir, "postgres"))).not.toContain("18.new");
  });

  it("opens for one of two hubs that start at once and tells the other who has it", async () => {
    const hubs = [startChild("hold"), startChild("hold")];
    const lines = await Promise.all(hubs.map((hub) => hub.next()));
    expect(lines.filter((line) => line === "open")).toHaveLength(1);
    const owner = hubs[lines.indexOf("open")];
    expect(lines.find((line) => line !== "open")).toContain(`STORE_LOCKED`);
    expect(lines.find((line) => line !== "open")).toContain(`process ${owner?.process.pid}`);
  });
});

describe("a store on a disk of its own", () => {
  it("isn't begun where there is no space for it", async () => {
    const hub = startChild("hold", { mount: "size=20m" });
    expect(await hub.next()).toMatch(/^failed STORE_FULL /);
  });

  it("says so when the disk fills up, stays up, and works again when there is space", async () => {
    const hub = startChild("fill", { mount: "size=120m", thenGrow: true });
    expect([await hub.next(), await hub.next()]).toEqual(["open", "full STORE_FULL"]);
    expect([await hub.next(), await hub.next()]).toEqual(["then STORE_FULL", "then STORE_FULL"]);
    hub.process.stdin.write("\n");
    expect(await hub.next()).toBe("later fine");
  });

  it("says so when it is read-only", async () => {
    const hub = startChild("hold", { mount: "ro" });
    expect(await hub.next()).toMatch(/^failed STORE_READ_ONLY /);
  });
});

function startChild(mode: "hold" | "fill", disk?: Disk): StoreProcess {
  const child = startStoreProcess({ dataDir, mode, launcher: disk === undefined ? [] : toLauncher(disk) });
  children.add(child);
  return child;
}

interface Disk {
  readonly mount: string;
  readonly thenGrow?: boolean;
}

/** Root in a namespace of its own. A line on its input makes the disk grow and then reaches the child. */
function toLauncher({ mount, thenGrow = false }: Disk): readonly string[] {
  const run = thenGrow ? `{ read -r _ && mount -o remount,size=300m "$0" && echo; } | "$@"` : `exec "$@"`;
  const script = `mount -t tmpfs -o ${mount} tmpfs "$0" && ${run}`;
  return ["/usr/bin/env", "unshare", "-rm", "sh", "-c", script, folder];
}
