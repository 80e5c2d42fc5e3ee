// The users that a hub may be run by: without an entry of /etc/passwd, as in OpenShift, and root in its varieties.
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyPrograms, findNative } from "./programs.fixture.ts";
import { startStoreProcess } from "./store-process.fixture.ts";

const isRoot = process.getuid?.() === 0;
const oddUser = ["/usr/bin/setpriv", "--reuid=12345", "--regid=0", "--clear-groups"];
const withoutRights = ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all"];

let folder: string;
/** Programs with a template beside them, as an image has them, and the same without. */
let imageBin: string;
let plainBin: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-accounts-"));
  await chmod(folder, 0o777);
  const native = await findNative(join(folder, "libraries"));
  plainBin = await copyPrograms(native, join(folder, "plain"));
  imageBin = await copyPrograms(native, join(folder, "image"));
  await makeTemplate(join(folder, "image"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.runIf(isRoot)("a user without an entry in /etc/passwd", () => {
  it("keeps a store by a template, without any other program", async () => {
    const store = { binDirs: [imageBin], path: "/nowhere" };
    for (const _start of ["first", "second"]) {
      await using hub = startStoreProcess({ dataDir: join(folder, "odd-image"), store, launcher: oddUser });
      expect(await hub.next()).toBe("open");
      expect(await readUid("odd-image")).toBe("12345");
    }
  });

  it("keeps a store in a user namespace where there is no template", async () => {
    const store = { binDirs: [plainBin] };
    await using hub = startStoreProcess({ dataDir: join(folder, "odd-plain"), store, launcher: oddUser });
    expect(await hub.next()).toBe("open");
  });

  it("is told so where there is neither", async () => {
    const store = { binDirs: [plainBin], path: "/nowhere" };
    await using hub = startStoreProcess({ dataDir: join(folder, "odd-none"), store, launcher: oddUser });
    expect(await hub.next()).toMatch(/^failed STORE_USER_UNKNOWN .*12345/);
  });
});

describe.runIf(isRoot)("root", () => {
  it("runs the server as nobody where nobody can reach the folders", async () => {
    await using hub = startStoreProcess({ dataDir: join(folder, "root-open"), store: { binDirs: [plainBin] } });
    expect(await hub.next()).toBe("open");
    expect(await readUid("root-open")).toBe("65534");
  });

  it("runs it in a user namespace where nobody can't, and takes a folder over from nobody", async () => {
    const closed = join(folder, "closed");
    await mkdir(closed, { mode: 0o700 });
    await cp(join(folder, "root-open"), join(closed, "data"), { recursive: true });
    await using hub = startStoreProcess({ dataDir: join(closed, "data"), store: { binDirs: [plainBin] } });
    expect(await hub.next()).toBe("open");
    expect(await readUid(join("closed", "data"))).toBe("0");
  });

  it("that can't give up its rights is told so", async () => {
    const store = { binDirs: [plainBin], path: "/nowhere" };
    await using hub = startStoreProcess({ dataDir: join(folder, "root-bound"), store, launcher: withoutRights });
    expect(await hub.next()).toMatch(/^failed STORE_AS_ROOT /);
  });
});

/** Gives the user of the server's process, as seen from here. */
async function readUid(name: string): Promise<string | undefined> {
  const [pid] = (await readFile(join(folder, name, "postgres", "18", "postmaster.pid"), "utf8")).split("\n");
  return /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1];
}

/** Makes the template as the build of an image does. */
async function makeTemplate(root: string): Promise<void> {
  await writeFile(join(root, "template.password"), "template\n");
  const [command, ...args] = [
    ...(isRoot ? ["unshare", "--user", "--map-user=65534", "--map-group=65534"] : []),
    join(root, "bin", "initdb"),
    "-D",
    join(root, "template"),
    "--username",
    "fairlead",
    "--encoding",
    "UTF8",
    "--locale",
    "C",
    "--locale-provider",
    "builtin",
    "--builtin-locale",
    "C.UTF-8",
    "--data-checksums",
    "--wal-segsize",
    "4",
    "--auth",
    "scram-sha-256",
    "--pwfile",
    join(root, "template.password"),
    "--no-sync",
  ];
  await promisify(execFile)(command ?? "", args, { env: { LC_ALL: "C", PATH: "/usr/bin:/bin" } });
  await promisify(execFile)("chmod", ["-R", "go+rX", join(root, "template")]);
}
