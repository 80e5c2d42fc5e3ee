import { mkdtemp, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeBackupFile } from "./write-file.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-backup-file-"));
  path = join(folder, "hub.backup");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Waits in the middle until it is let go on. */
async function* pieces(text: string, until: Promise<void>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${text} `);
  await until;
  yield Buffer.from(text);
}

describe("the file of a backup", () => {
  it("is one whole backup when two are on their way to it at once, and the other is told so", async () => {
    const { promise: first, resolve } = Promise.withResolvers<void>();
    const slow = writeBackupFile(path, pieces("slow", first));
    const { promise: second, resolve: resolveSecond } = Promise.withResolvers<void>();
    const other = writeBackupFile(path, pieces("other", second));
    resolve();
    await slow;
    resolveSecond();
    await expect(other).rejects.toMatchObject({ code: "STORE_NOT_EMPTY" });
    expect(gunzipSync(await readFile(path)).toString()).toBe("slow slow");
    expect(await readdir(folder)).toEqual(["hub.backup"]);
  });

  it("isn't written over a link to nowhere, nor through it", async () => {
    const elsewhere = join(folder, "elsewhere");
    await symlink(elsewhere, path);
    await expect(writeBackupFile(path, pieces("text", Promise.resolve()))).rejects.toMatchObject({
      code: "STORE_NOT_EMPTY",
    });
    expect(await readlink(path)).toBe(elsewhere);
    expect(await readdir(folder)).toEqual(["hub.backup"]);
  });

  it("isn't there, nor any part of it, when what it is made of fails", async () => {
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from("text");
      throw new Error("the database went");
    };
    await expect(writeBackupFile(path, failing())).rejects.toThrow("the database went");
    expect(await readdir(folder)).toEqual([]);
  });
});
