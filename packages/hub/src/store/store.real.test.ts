// The store on real disks: killed, opened twice, without space, read-only. Disks are small tmpfs mounts in a mount
// namespace of the child's own, so nothing stays mounted whatever happens.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "./store.ts";

let folder: string;
let dataDir: string;
const children = new Set<ChildProcessWithoutNullStreams>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-store-"));
  dataDir = join(folder, "data");
});
afterEach(async () => {
  await Promise.all([...children].map(kill));
  children.clear();
  await rm(folder, { recursive: true, force: true });
});

describe("a store on disk", () => {
  it("holds all that was written when its hub is killed, and opens again at once", async () => {
    const hub = startChild(["hold"]);
    expect(await hub.next()).toBe("open");
    await expect(openStore({ dataDir })).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await kill(hub.process);

    await using store = await openStore({ dataDir });
    const rows = await sql<{ text: string }>`select text from junk`.execute(store.db);
    expect(rows.rows).toEqual([{ text: "written" }]);
  });

  it("survives a kill while it is being made", async () => {
    const hub = startChild(["hold"]);
    await expect.poll(() => readdir(dataDir).catch(() => []), { timeout: 30_000 }).toContain("db.new");
    await kill(hub.process);
    expect(await readdir(dataDir)).not.toContain("db");

    await using store = await openStore({ dataDir });
    await store.check();
    expect(await readdir(dataDir)).not.toContain("db.new");
  });

  it("opens for one of two hubs that start at once and tells the other who has it", async () => {
    const hubs = [startChild(["hold"]), startChild(["hold"])];
    const lines = await Promise.all(hubs.map((hub) => hub.next()));
    expect(lines.filter((line) => line === "open")).toHaveLength(1);
    const owner = hubs[lines.indexOf("open")];
    expect(lines.find((line) => line !== "open")).toContain(`STORE_LOCKED`);
    expect(lines.find((line) => line !== "open")).toContain(`process ${owner?.process.pid}`);
  });
});

describe("a store on a disk of its own", () => {
  it("isn't begun where there is no space for it", async () => {
    const hub = startChild(["hold"], { mount: "size=20m" });
    expect(await hub.next()).toMatch(/^failed STORE_FULL /);
  });

  it("says so when the disk fills up, stays up, and works again when there is space", async () => {
    const hub = startChild(["fill"], { mount: "size=90m", thenGrow: true });
    expect([await hub.next(), await hub.next()]).toEqual(["open", "full STORE_FULL"]);
    expect([await hub.next(), await hub.next()]).toEqual(["then STORE_FULL", "then STORE_FULL"]);
    hub.process.stdin.write("\n");
    expect(await hub.next()).toBe("later fine");
  });

  it("says so when it is read-only", async () => {
    const hub = startChild(["hold"], { mount: "ro" });
    expect(await hub.next()).toMatch(/^failed STORE_READ_ONLY /);
  });
});

interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  next(): Promise<string>;
}

function startChild(modes: readonly string[], disk?: { readonly mount: string; readonly thenGrow?: boolean }): Child {
  const script = fileURLToPath(new URL("hold-store.fixture.ts", import.meta.url));
  const command = [process.execPath, "--conditions=@fairlead/source", script, dataDir, ...modes];
  const child = disk ? spawnOnDisk(command, disk) : spawn(command[0] ?? "", command.slice(1), { detached: true });
  children.add(child);
  child.stderr.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { process: child, next: async () => String((await lines.next()).value) };
}

/** Root in a namespace of its own. A line on its input makes the disk grow and then reaches the child. */
function spawnOnDisk(
  command: readonly string[],
  { mount, thenGrow = false }: { readonly mount: string; readonly thenGrow?: boolean },
): ChildProcessWithoutNullStreams {
  const run = thenGrow ? `{ read -r _ && mount -o remount,size=300m "$0" && echo; } | "$@"` : `exec "$@"`;
  const script = `mount -t tmpfs -o ${mount} tmpfs "$0" && ${run}`;
  return spawn("/usr/bin/env", ["unshare", "-rm", "sh", "-c", script, folder, ...command], { detached: true });
}

/** With all that it started: each is the leader of a group of its own. */
async function kill(child: ChildProcessWithoutNullStreams): Promise<void> {
  const exited = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, "exit");
  try {
    process.kill(-(child.pid ?? 0), "SIGKILL");
  } catch {
    // The whole group is gone already.
  }
  await exited;
}
