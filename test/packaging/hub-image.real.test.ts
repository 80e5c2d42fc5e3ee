// The hub's image keeps its database as whoever a cluster or an engine runs it: there is no shell in it, no name for the
// user, no /dev/shm, and nothing to write to but the volume.
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { findLogLines, runCommand } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresFolder } from "../../deploy/images/recipes.ts";
import { whyNotConfined } from "../fleet/confine.ts";
import { field, listContained } from "../fleet/contained.ts";
import { readShareMiB } from "../fleet/memory.ts";
import { askContainer, type Container, type RunContainerOptions, runContainer } from "../fleet/run-image.ts";
import { type UnpackedImage, unpackImages } from "./unpack-images.ts";

const reason = whyNotConfined();
const bounded = { skip: reason !== "", timeout: 200_000 };
let folder: string;
let image: UnpackedImage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-hub-image-"));
  // The containers' users go through it.
  await chmod(folder, 0o755);
  if (reason === "") image = (await unpackImages(folder))("hub");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test(
  "it runs as a user without a name, on a volume that a group may write, and finds its data again",
  bounded,
  async () => {
    // As OpenShift chooses them.
    const user = { uid: 1_000_650_000, gid: 0, groups: [1_000_650_000] };
    const volume = await makeVolume("openshift", { gid: 1_000_650_000, mode: 0o2775 });
    const first = await startHub({ name: "openshift-1", user, volume });
    const { log } = first;
    expect(log).toContain("Nobody has signed in since the hub's first start.");
    const processes = listContained(first.container.pid);
    expect(processes.map(({ program }) => program)).toEqual(expect.arrayContaining(["node", "postgres", "tini"]));
    for (const { status } of processes) {
      expect(field(status, "Uid").split("\t")).toEqual(Array(4).fill(String(user.uid)));
      expect(field(status, "CapEff")).toBe("0000000000000000");
    }
    console.info(processes.map(({ program, pid }) => `${program} ${readShareMiB(pid).toFixed(1)} MiB`).join(", "));
    expect(await first.container.stop()).toEqual({ code: 0 });

    // As a kubelet does it with an fsGroup at the next mount.
    await runCommand("chmod", ["-R", "g+rwX", volume], { env: { PATH: process.env["PATH"] ?? "" } });
    const data = join(volume, "postgres", "18");
    expect((await stat(data)).mode & 0o777).toBe(0o770);
    const second = await startHub({ name: "openshift-2", user, volume });
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    expect(fingerprintOf(second.log)).toBe(fingerprintOf(log));
    expect(await second.container.stop()).toEqual({ code: 0 });
  },
);

test("nothing dead stays behind when the server is killed", bounded, async () => {
  const volume = await makeVolume("killed", { gid: 65_532, mode: 0o2775 });
  const user = { uid: 65_532, gid: 65_532, groups: [65_532] };
  const { container, logFile } = await startHub({ name: "killed", user, volume });
  await using _container = container;
  const before = listServer(container);
  expect(before.length).toBeGreaterThan(3);
  const [inside] = (await readFile(join(volume, "postgres", "18", "postmaster.pid"), "utf8")).split("\n");
  const server = before.find(({ status }) => field(status, "NSpid").endsWith(`\t${inside}`));
  if (server === undefined) throw new Error(`there is no process ${inside}`);
  process.kill(server.pid, "SIGKILL");
  const old = new Set(before.map(({ pid }) => pid));
  const runsAgain = async () => (await findLogLines(logFile, "the database runs")).length > 1;
  expect(await waitUntil(runsAgain, { timeoutMs: 60_000 })).toBe(true);
  // Its children end when they see that it is gone; dead ones whom nobody asks after would stay for ever.
  const areGone = () =>
    !listContained(container.pid).some(({ pid, status }) => old.has(pid) || field(status, "State").startsWith("Z"));
  expect(await waitUntil(async () => areGone(), { timeoutMs: 60_000 })).toBe(true);
  expect(listServer(container).length).toBeGreaterThan(3);
  expect(await container.stop()).toEqual({ code: 0 });
});

test("as root it gives up its rights for the server", bounded, async () => {
  const volume = await makeVolume("root", { gid: 0, mode: 0o755 });
  const { container } = await startHub({ name: "root", user: root, hasRights: true, volume });
  await using _container = container;
  const [nobody] = new Set(listServer(container).map(({ status }) => field(status, "Uid")));
  expect(nobody?.split("\t")).toEqual(Array(4).fill("65534"));
  for (const { status } of listServer(container)) expect(field(status, "CapEff")).toBe("0000000000000000");
  expect(await container.stop()).toEqual({ code: 0 });
});

test("as a root that has no rights to give up it says so and ends", bounded, async () => {
  const volume = await makeVolume("powerless", { gid: 0, mode: 0o755 });
  const { container, logFile } = await openHub({ name: "powerless", user: root, volume });
  expect(await container.exited).toEqual({ code: 1 });
  const log = await readFile(logFile, "utf8");
  expect(log.match(/STORE_AS_ROOT/g)).toHaveLength(1);
  expect(await readdir(join(volume, "postgres"))).not.toContain("18");
});

test("without a volume it keeps its data in /tmp, and leaves nothing there", bounded, async () => {
  const volume = await makeVolume("memory", { gid: 65_532, mode: 0o2777 });
  const user = { uid: 65_532, gid: 65_532, groups: [65_532] };
  const { container } = await startHub({ name: "memory", user, volume, at: "/tmp", keeps: ["--in-memory"] });
  expect(await readdir(volume)).toHaveLength(1);
  expect(await container.stop()).toEqual({ code: 0 });
  expect(await readdir(volume)).toEqual([]);
});

test("it carries the version before, for folders of it", bounded, () => {
  const { rootfs, runtime } = image;
  const ask = (major: number) => {
    const command = [`/${postgresFolder}/${major}/bin/postgres`, "--version"];
    return askContainer({ rootfs, variables: runtime.Env, command });
  };
  expect(ask(18)).toContain("(PostgreSQL) 18.");
  expect(ask(17)).toContain("(PostgreSQL) 17.");
});

const root = { uid: 0, gid: 0, groups: [0] };

interface HubOptions extends Pick<RunContainerOptions, "name" | "user" | "hasRights"> {
  readonly volume: string;
  readonly at?: string;
  readonly keeps?: readonly string[];
}

async function startHub(options: HubOptions) {
  const { container, logFile } = await openHub(options, async (file) => {
    return (await findLogLines(file, "hub is ready")).length > 0;
  });
  return { container, logFile, log: await readFile(logFile, "utf8") };
}

async function openHub(options: HubOptions, isReady?: (logFile: string) => Promise<boolean>) {
  const { name, volume, at = "/var/lib/fairlead-hub", keeps = [`--data-dir=${at}`], ...rest } = options;
  const { rootfs, runtime } = image;
  const logFile = join(folder, `${name}.log`);
  const container = await runContainer({
    name,
    rootfs,
    logFile,
    variables: runtime.Env,
    ...rest,
    mounts: [{ at, from: volume, isWritable: true }],
    command: [...runtime.Entrypoint, ...keeps, "--listen=127.0.0.1:0", "--agent-listen=127.0.0.1:0"],
    ...(isReady !== undefined && { readyWhen: () => isReady(logFile) }),
  });
  return { container, logFile };
}

async function makeVolume(name: string, { gid, mode }: { gid: number; mode: number }): Promise<string> {
  const volume = join(folder, `${name}-volume`);
  await mkdir(volume);
  await chown(volume, 0, gid);
  await chmod(volume, mode);
  return volume;
}

function listServer({ pid }: Container) {
  return listContained(pid).filter(({ program }) => program === "postgres");
}

function fingerprintOf(log: string): string {
  return /"caFingerprint":"([0-9a-f]{64})"/.exec(log)?.[1] ?? "there is none";
}
