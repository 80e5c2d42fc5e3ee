import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, open, readdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../cluster/index.ts";
import { type ForgetfulDisk, mountForgetful, type PowerCut } from "./mount-forgetful.ts";

let disk: ForgetfulDisk;
let view: string;
let folder: string;
let count = 0;
beforeAll(async () => {
  disk = await mountForgetful();
  view = disk.view(disk.folder);
});
afterAll(async () => {
  await disk?.[Symbol.asyncDispose]();
});
/** Each test has a folder that survives by itself. */
beforeEach(async () => {
  folder = join(view, `test-${++count}`);
  await mkdir(folder);
  await sync(folder);
});

describe("after a power cut", () => {
  it("a file has what was synced last, and nothing of what was written since", async () => {
    await write("file", "first");
    await sync("file");
    await write("file", "second, and longer");
    expect(await cut()).toEqual({ file: "first" });
    await sync("file");
    expect(await cut()).toEqual({ file: "second, and longer" });
  });

  it("a position of before has what was durable then, whatever was synced later", async () => {
    await write("file", "first");
    await sync("file");
    const position = await disk.position();
    await write("file", "second");
    await sync("file");
    expect(await cut()).toEqual({ file: "second" });
    expect(await cut({ position })).toEqual({ file: "first" });
  });

  it("a file that was cut short has its old length until it is synced", async () => {
    await write("file", "123456");
    await sync("file");
    await truncate(join(folder, "file"), 3);
    expect(await cut()).toEqual({ file: "123456" });
    await sync("file");
    expect(await cut()).toEqual({ file: "123" });
  });

  it("what was written to a file opened for synchronous writing is there", async () => {
    await using file = await open(join(folder, "file"), "as");
    await file.write("line\n");
    expect(await cut()).toEqual({ file: "line\n" });
  });

  it("new names are there once their folder is synced, but the contents are not", async () => {
    await write("file", "text");
    expect(await cut()).toEqual({});
    await sync(folder);
    expect(await cut()).toEqual({ file: "" });
  });

  it("deleted names are back unless their folder was synced", async () => {
    await write("file", "text");
    await sync("file");
    await rm(join(folder, "file"));
    expect(await cut()).toEqual({ file: "text" });
    await sync(folder);
    expect(await cut()).toEqual({});
  });

  it("a renamed file has its old name, or replaced the other whole", async () => {
    await write("file", "old");
    await sync("file");
    await write("draft", "new");
    await sync("draft");
    await rename(join(folder, "draft"), join(folder, "file"));
    expect(await cut()).toEqual({ file: "old", draft: "new" });
    await sync(folder);
    expect(await cut()).toEqual({ file: "new" });
  });

  it("a file's own sync makes durable its name and the folders above it, and no other name", async () => {
    await mkdir(join(folder, "a", "b"), { recursive: true });
    await write("a/b/file", "text");
    await write("a/b/other", "text");
    await sync("a/b/file");
    expect(await cut()).toEqual({ a: { b: { file: "text" } } });
  });

  it("a file that was renamed without a sync may be there, and empty", async () => {
    await write("draft", "text");
    await rename(join(folder, "draft"), join(folder, "file"));
    expect(await cut({ unsynced: "names" })).toEqual({ file: "" });
  });

  it("pages that were not synced may be there by chance, the same ones for the same seed", async () => {
    const pages = Array.from({ length: 64 }, (_, index) => String.fromCharCode(65 + (index % 26)).repeat(4096));
    await write("file", "\n".repeat(64 * 4096));
    await sync("file");
    await write("file", pages.join(""));
    const [one, again, other] = [
      await cut({ unsynced: "some", seed: 1 }),
      await cut({ unsynced: "some", seed: 1 }),
      await cut({ unsynced: "some", seed: 2 }),
    ];
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
    const kept = pages.filter((page, index) => String(one["file"]).slice(index * 4096, (index + 1) * 4096) === page);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(64);
  });

  it("files have the mode and the owner that they were given and that were synced", async () => {
    await write("file", "text");
    await sync("file");
    await chmod(join(folder, "file"), 0o640);
    await chown(join(folder, "file"), 65534, 65533);
    expect(await ownerAfterCut("file")).toEqual({ mode: 0o644, uid: 0, gid: 0 });
    await sync("file");
    expect(await ownerAfterCut("file")).toEqual({ mode: 0o640, uid: 65534, gid: 65533 });
  });
});

describe("the mount", () => {
  it("is seen by those who are let in, and by nobody else", async () => {
    expect(await readFile("/proc/self/mounts", "utf8")).not.toContain(disk.folder);
    expect(await readdir(disk.folder)).toEqual([]);
    const { stdout } = await inside("ls", disk.folder);
    expect(stdout).toContain(`test-${count}\n`);
  });

  it("has in its journal all that is seen in it", async () => {
    const script = `cd "$0" && cp -r /etc/ssl . && ln -s ssl link && mv ssl/certs moved && mkfifo pipe && ln pipe twin
      chmod 600 moved/*.crt; rm -r ssl; dd if=/dev/zero of=sparse bs=1 count=1 seek=100000; truncate -s 50000 sparse
      setpriv --reuid=65534 --clear-groups touch no; chmod 777 .; setpriv --reuid=65534 --clear-groups touch yes`;
    const path = join(disk.folder, `test-${count}`);
    await runCommand(disk.launcher[0] ?? "", [...disk.launcher.slice(1), "sh", "-c", script, path], {});
    await using made = await materialise({ unsynced: "all" });
    // Names, kinds, modes, owners, sizes and contents.
    const list = `cd "$0" && find . -printf '%p %y %m %U %G %l ' -type f -printf %s, -exec md5sum {} ';' -o -printf '\\n' | sort`;
    const expected = await inside("sh", "-c", list, path);
    const { stdout } = await runCommand("sh", ["-c", list, made.folder], {});
    expect(stdout.split("\n").length).toBeGreaterThan(10);
    expect(stdout).toContain("./yes f 644 65534");
    expect(stdout).not.toContain("./no ");
    expect(stdout).toBe(expected.stdout);
  });
});

it("a mount and its process are gone when whoever made them is killed", async () => {
  const script = join(import.meta.dirname, "disk-owner.fixture.ts");
  const owner = spawn(process.execPath, ["--conditions=@fairlead/source", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: owner.stdout }), "line")) as [string];
  const other = JSON.parse(line) as { folder: string; launcher: readonly string[] };
  const pid = /\d+/.exec(other.launcher[1] ?? "")?.[0] ?? "";
  expect(await readFile(`/proc/${pid}/mounts`, "utf8")).toContain(`forgetful ${other.folder} `);
  owner.kill("SIGKILL");
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  await rm(dirname(other.folder), { recursive: true });
});

describe("a broken disk", () => {
  it("that is full takes what fits, says ENOSPC for the rest, and takes it after something was deleted", async () => {
    await write("large", "x".repeat(10_000));
    await disk.fill({ freeBytes: 5_000 });
    await write("small", "x".repeat(4_000));
    await expect(write("more", "x".repeat(4_000))).rejects.toMatchObject({ code: "ENOSPC" });
    await write("large", "y".repeat(10_000));
    await rm(join(folder, "small"));
    await write("more", "x".repeat(4_000));
    await disk.fill();
    await expect(write("new", "")).rejects.toMatchObject({ code: "ENOSPC" });
    await disk.heal();
    await write("new", "x".repeat(100_000));
  });

  it("that is read-only says so, and can be read", async () => {
    await write("file", "text");
    await disk.makeReadOnly();
    await expect(write("file", "other")).rejects.toMatchObject({ code: "EROFS" });
    await expect(rm(join(folder, "file"))).rejects.toMatchObject({ code: "EROFS" });
    await expect(sync("file")).rejects.toMatchObject({ code: "EROFS" });
    expect(await readFile(join(folder, "file"), "utf8")).toBe("text");
    await disk.heal();
    await sync("file");
    expect(await cut()).toEqual({ file: "text" });
  });

  it("that fails to sync some files keeps nothing of them, and all of the others", async () => {
    await disk.fail({ operation: "fsync", path: "bad$", errno: "EIO" });
    for (const name of ["bad", "good"]) await write(name, name);
    await sync("good");
    await expect(sync("bad")).rejects.toMatchObject({ code: "EIO" });
    expect(await cut()).toEqual({ good: "good" });
    await disk.heal();
    await sync("bad");
    expect(await cut()).toEqual({ good: "good", bad: "bad" });
  });

  it("that fails to write says EIO", async () => {
    await disk.fail({ operation: "write", path: "^test-\\d+/bad$", errno: "EIO" });
    await expect(write("bad", "text")).rejects.toMatchObject({ code: "EIO" });
    await write("good", "text");
    await disk.heal();
  });
});

it("a command that can't be done is an error", async () => {
  const far = (await disk.position()) + 1000;
  await expect(disk.materialise({ position: far, to: join(disk.memory, "x") })).rejects.toMatchObject({
    code: "TESTKIT_DISK_FAILED",
    message: expect.stringContaining("lies ahead"),
  });
});

function write(name: string, text: string): Promise<void> {
  return writeFile(join(folder, name), text);
}

async function sync(name: string): Promise<void> {
  await using file = await open(join(folder, name.startsWith("/") ? "" : name));
  await file.sync();
}

function inside(...args: string[]): ReturnType<typeof runCommand> {
  const [command = "", ...rest] = [...disk.launcher, ...args];
  return runCommand(command, rest, {});
}

type Tree = { [name: string]: string | Tree };

/** Gives the content of the test's folder after a power cut now, or at another position. */
async function cut(options: Partial<PowerCut> = {}): Promise<Tree> {
  await using made = await materialise(options);
  return await readTree(made.folder);
}

async function ownerAfterCut(name: string): Promise<{ mode: number; uid: number; gid: number }> {
  await using made = await materialise();
  const { mode, uid, gid } = await stat(join(made.folder, name));
  return { mode: mode & 0o7777, uid, gid };
}

async function materialise(options: Partial<PowerCut> = {}): Promise<{ folder: string } & AsyncDisposable> {
  const to = join(disk.memory, String(++count));
  await disk.materialise({ position: await disk.position(), to, ...options });
  return {
    folder: join(disk.view(to), folder.slice(view.length)),
    [Symbol.asyncDispose]: () => rm(disk.view(to), { recursive: true }),
  };
}

async function readTree(path: string): Promise<Tree> {
  const entries = await readdir(path, { withFileTypes: true });
  const read = (name: string) => readFile(join(path, name), "utf8");
  return Object.fromEntries(
    await Promise.all(
      entries.map(
        async (entry): Promise<[string, string | Tree]> => [
          entry.name,
          entry.isDirectory() ? await readTree(join(path, entry.name)) : await read(entry.name),
        ],
      ),
    ),
  );
}
