// The fence around programs that commands run. Each attack gets through without a fence, so that its failure behind
// one says something.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTools } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attacks, secret, type Target } from "./runner-attacks.ts";
import { type Ended, type Order, type Run, sendSignal, speak, startRun } from "./runner-runs.ts";

const isRoot = process.getuid?.() === 0;
/** The uid of the agent where it isn't root, and those of runs. */
const [ordinary, runUid] = [65_534, 65_101];

interface Fence {
  readonly separation: Order["separation"];
  /** The runner's own uid; undefined: this process's. */
  readonly as?: number;
  readonly uid?: number;
}

const asOrdinary = isRoot ? { as: ordinary } : {};
const none: Fence = { separation: "none", ...asOrdinary };
const fences: Readonly<Record<string, Fence>> = {
  "namespaces, by an ordinary user": { separation: "namespaces", ...asOrdinary },
  "a container": { separation: "container", ...asOrdinary },
  ...(isRoot && {
    "namespaces, by root": { separation: "namespaces", uid: runUid },
    "a uid": { separation: "uid", uid: runUid },
  }),
};

let [folder, runner] = ["", ""];
const closing: (() => unknown)[] = [];
let [listening, listed] = [0, 0];
const abstractName = `fairlead-runner-${process.pid}`;

beforeAll(async () => {
  const tools = await ensureTools(["runner"]);
  folder = await mkdtemp(join(tmpdir(), "fairlead-runner-"));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  // Every uid can execute this one.
  runner = join(folder, "fairlead-runner");
  await copyFile(tools.runner, runner);
  await chmod(runner, 0o755);
  [listening, listed] = await Promise.all([listen(0), listen(0)]);
  await listen(`\0${abstractName}`);
}, 300_000);

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

describe("22: the runner's fence", () => {
  it.each(Object.keys(attacks))("nothing keeps a program without a fence from this: %s", async (name) => {
    const { stdout } = await attack(none, name);
    expect(stdout).toContain("BREACH");
  });

  describe.each(Object.entries(fences))("%s", (_, fence) => {
    it.each(Object.keys(attacks))("keeps a program from this: %s", async (name) => {
      const { stdout, code, failed } = await attack(fence, name);
      expect(failed).toBeUndefined();
      expect(code).not.toBe(0);
      expect(stdout).not.toContain("BREACH");
    });

    it("keeps a program from another run with the same uid", async () => {
      const other = start(fence, { script: "sleep 60", order: { env: [`SECRET=${secret}`] } });
      // With separation uid only other uids are kept apart: there each run has its own.
      const attacker = fence.separation === "uid" ? { ...fence, uid: runUid + 1 } : fence;
      const target = {
        pid: await other.started,
        keyFile: "/etc/hostname",
        otherRun: "",
        port: listening,
        abstractName,
      };
      for (const name of ["read the agent's environment", "open the agent's memory", "signal the agent"])
        expect((await run(attacker, { script: attacks[name]?.(target) ?? "" })).stdout).toBe("");
      sendSignal(other, "TERM");
      expect((await other.ended).code).toBe(143);
    });

    it("lets a program work in its folder, and connect to the ports of the order", async () => {
      const work = await makeFolder(fence);
      const script = `echo done > result && cat result && cat && echo $ONLY && env | wc -l && /usr/bin/perl -MSocket -e '
        socket(S, AF_INET, SOCK_STREAM, 6); connect(S, pack_sockaddr_in(${listed}, inet_aton("127.0.0.1"))) and print "connected\n"'`;
      const { stdout, stderr, code } = await run(fence, {
        script,
        stdin: "input\n",
        order: { write: [work], dir: work, env: ["ONLY=this"], connect: [listed] },
      });
      expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
      expect(stdout.split("\n").slice(0, 3)).toEqual(["done", "input", "this"]);
      expect(stdout).toContain("connected");
      // Its own variable, and those that the shell adds.
      expect(Number(stdout.split("\n")[3])).toBeLessThan(5);
    });

    it("gives a program no descriptors beside its three", async () => {
      const script = `perl -e 'for (3..255) { print "$_ " if open(my $f, "<&=", $_) }'`;
      expect(await run(fence, { script })).toMatchObject({ stdout: "", stderr: "", code: 0 });
    });

    it("ends what a program left behind in a session of its own", async () => {
      const marker = newMarker();
      const { code } = await run(fence, { script: `(setsid sh -c 'sleep ${marker} & sleep ${marker}' &) ; sleep 0.2` });
      expect(code).toBe(0);
      expect(await processesWith(marker)).toEqual([]);
    });

    it("ends everything when the agent is gone, after a chance to end by itself", async () => {
      const [work, marker] = [await makeFolder(fence), newMarker()];
      const script = `trap 'echo yes > asked; exit 0' INT; (setsid sleep ${marker} &); while :; do sleep 0.05; done`;
      const going = start(fence, { script, order: { write: [work], dir: work } });
      await going.started;
      await expect.poll(() => processesWith(marker)).not.toEqual([]);
      going.connection.destroy();
      await expect.poll(() => processesWith(marker)).toEqual([]);
      expect(await readFile(join(work, "asked"), "utf8")).toBe("yes\n");
    });

    it("ends a program that ignores every request", async () => {
      const marker = newMarker();
      const going = start(fence, { script: `trap '' INT TERM; sleep ${marker}; sleep ${marker}` });
      await going.started;
      await expect.poll(() => processesWith(marker)).not.toEqual([]);
      sendSignal(going, "INT");
      sendSignal(going, "KILL");
      expect((await going.ended).code).toBe(137);
      expect(await processesWith(marker)).toEqual([]);
    });

    it("keeps a program from ending the runner and living on", async () => {
      const marker = newMarker();
      const { code } = await run(fence, { script: `kill -KILL $PPID; exec sleep 0.3` });
      expect(code).toBe(0);
      expect(await processesWith(marker)).toEqual([]);
    });

    it("limits processes", async () => {
      const script = `for i in $(seq 200); do sleep 5 & done; echo BREACH`;
      const limited = await run(fence, { script, order: { processes: 64 } });
      expect(limited.stdout).not.toContain("BREACH");
      expect(limited.stderr).toMatch(/fork|resource/i);
      expect((await run(fence, { script })).stdout).toContain("BREACH");
    });

    it("limits memory", async () => {
      const script = `perl -e '$x = "a" x (256 << 20); print "BREACH"'`;
      expect((await run(fence, { script, order: { memoryBytes: 128 * 2 ** 20 } })).stdout).toBe("");
      expect((await run(fence, { script, order: { memoryBytes: 2 ** 30 } })).stdout).toBe("BREACH");
    });

    it("binds nothing over a link that an earlier run left", async () => {
      const [work, agentFolder] = [await makeFolder(fence), await makeFolder(none, 0o700)];
      const planted = await run(fence, { script: `ln -s ${agentFolder} planted`, order: { write: [work], dir: work } });
      expect(planted.code).toBe(0);
      for (const order of [{ write: [join(work, "planted")] }, { read: [join(work, "planted")] }])
        expect((await run(fence, { script: "true", order })).failed?.code).toBe("RUNNER_ORDER_INVALID");
    });

    it.runIf(isRoot)("follows root's links to what the order names", async () => {
      const [work, link] = [await makeFolder(fence), join(folder, `link-${newMarker()}`)];
      await symlink(work, link);
      const { stdout, code } = await run(fence, { script: "echo x > file && ls", order: { write: [link], dir: link } });
      expect({ stdout, code }).toEqual({ stdout: "file\n", code: 0 });
    });

    it("tells a missing program from one that fails", async () => {
      const missing = start(fence, { order: { argv: ["/usr/bin/no-such-program"] } });
      expect((await missing.ended).failed?.code).toBe("RUNNER_PROGRAM_MISSING");
      expect((await run(fence, { script: "exit 127" })).code).toBe(127);
    });

    it("delivers output larger than any buffer, up to its last byte", async () => {
      const { stdout } = await run(fence, { script: `head -c 3000000 /dev/zero | tr '\\0' x; echo end` });
      expect(stdout.length).toBe(3_000_004);
      expect(stdout.endsWith("end\n")).toBe(true);
    });
  });

  it("without a fence a program can end the runner and live on", async () => {
    const marker = newMarker();
    await run(none, { script: `trap '' TERM; (setsid sleep ${marker} &) ; sleep 0.2; kill -KILL $PPID; sleep 5` });
    const living = await processesWith(marker);
    expect(living.length).toBe(1);
    for (const pid of living) process.kill(pid, "SIGKILL");
  });

  it.runIf(isRoot)("namespaces make a folder below one of mode 0700 reachable, a uid alone doesn't", async () => {
    const parent = join(folder, "closed");
    const work = join(parent, "run");
    await mkdir(work, { recursive: true });
    await chown(work, runUid, runUid);
    await chmod(parent, 0o700);
    const order = { write: [work], dir: work };
    const inNamespaces = await run(
      { separation: "namespaces", uid: runUid },
      { script: "echo x > file && pwd", order },
    );
    expect(inNamespaces.stdout).toBe(`${work}\n`);
    const alone = await run({ separation: "uid", uid: runUid }, { script: "pwd", order });
    expect(alone.failed?.code).toBe("RUNNER_START_FAILED");
    const question = ["check", "--uid", String(runUid), "/bin/sh", work];
    expect(await ask(question)).toEqual({ unreachable: work, because: parent });
  });

  it("shares results with the group, and follows no link out of them", async () => {
    const work = await makeFolder(none);
    const outside = join(folder, "outside");
    await writeFile(outside, "", { mode: 0o600 });
    if (isRoot) await chown(outside, ordinary, ordinary);
    await symlink(outside, join(work, "link"));
    await symlink(folder, join(work, "folder-link"));
    const script = `umask 077; mkdir -p a/b; echo x > a/b/file; chmod 600 a/b/file; chmod 000 a/b; mkfifo pipe`;
    const fence: Fence = { separation: "container", ...asOrdinary };
    const { code, stderr } = await run(fence, { script, order: { write: [work], dir: work, shareGroup: true } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect((await stat(join(work, "a/b"))).mode & 0o777).toBe(0o770);
    expect((await stat(join(work, "a"))).mode & 0o777).toBe(0o770);
    expect((await stat(join(work, "a/b/file"))).mode & 0o777).toBe(0o660);
    expect((await stat(outside)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
  });

  it("a served socket takes the agent's runs, and none from inside a run", async () => {
    const socket = join(await makeFolder(none), "runner.sock");
    await serve([socket]);
    const stranger = await run(none, { through: socket, script: "echo BREACH" });
    expect(stranger.failed?.code).toBe("RUNNER_PEER_REJECTED");

    const tested = join(await makeFolder(none), "runner.sock");
    await serve([tested, "--allow-local-peers", "--max-runs", "1"]);
    expect((await stat(tested)).mode & 0o777).toBe(0o660);
    const inside = `exec perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("${tested}")) or exit 3;
      $order = q({"argv":["/bin/echo","BREACH"],"env":[],"dir":"/","write":[],"read":[],"connect":null,"separation":"none"});
      syswrite(S, pack("CN", 0, length $order) . $order); while (sysread(S, $x, 4096)) { print $x }'`;
    const first = await run(none, { through: tested, script: inside });
    expect(first.stdout).toContain("RUNNER_PEER_REJECTED");
    expect(first.stdout).not.toContain("BREACH");

    // Without a fence a program can end its runner. What it leaves behind ends all the same.
    const marker = newMarker();
    await run(none, { through: tested, script: `(setsid sleep ${marker} &) ; sleep 0.2; kill -KILL $PPID; sleep 5` });
    await expect.poll(() => processesWith(marker)).toEqual([]);

    const fence: Fence = { separation: "namespaces" };
    await expect.poll(async () => (await run(fence, { through: tested, script: "echo $$" })).stdout).toMatch(/^\d+\n$/);

    // The place is free again when the run's process has ended, shortly after its last message.
    let longer: Run | undefined;
    await expect
      .poll(() => {
        longer = start(none, { through: tested, script: "sleep 30" });
        return longer.started.then(
          () => true,
          () => false,
        );
      })
      .toBe(true);
    if (longer === undefined) throw new Error("not started");
    expect((await run(none, { through: tested, script: "true" })).failed?.code).toBe("RUNNER_BUSY");
    sendSignal(longer, "TERM");
    expect((await longer.ended).code).toBe(143);
    await expect.poll(async () => (await run(none, { through: tested, script: "echo again" })).stdout).toBe("again\n");
  });

  it("says which fences work here, and where it serves", async () => {
    expect(await ask(["probe"])).toMatchObject({ namespaces: true, uid: isRoot, landlockAbi: expect.any(Number) });
    const socket = join(await makeFolder(none), "runner.sock");
    await serve([socket, "--allow-local-peers"]);
    const served = await ask(["probe", "--socket", socket]);
    expect(served).toMatchObject({ namespaces: true, uid: false, reasons: { uid: expect.stringContaining("root") } });
  });
});

interface Asked {
  readonly script?: string;
  readonly order?: Partial<Order>;
  readonly stdin?: string;
  /** Socket of a runner that serves. */
  readonly through?: string;
}

function start(fence: Fence, asked: Asked): Run {
  const { script = "", order, stdin, through } = asked;
  const { separation, uid, as } = fence;
  const whole = { argv: ["/bin/sh", "-c", script], separation, ...(uid !== undefined && { uid }), ...order };
  if (through === undefined) return startRun({ runner, order: whole, stdin, as });
  return { ...speak({ connection: connect(through), order: whole }), runnerPid: undefined };
}

function run(fence: Fence, asked: Asked): Promise<Ended> {
  return start(fence, asked).ended;
}

/** Runs one attack in a folder of its own, with a victim of its own. */
async function attack(fence: Fence, name: string): Promise<Ended> {
  const agentFolder = await makeFolder({ ...fence, separation: "none" }, 0o700);
  const otherRun = join(agentFolder, "other-run");
  const keyFile = join(agentFolder, "key");
  await mkdir(otherRun, { mode: 0o700 });
  await writeFile(keyFile, "key", { mode: 0o600 });
  if (fence.as !== undefined) for (const path of [otherRun, keyFile]) await chown(path, fence.as, fence.as);
  const victim = spawn("/bin/sleep", ["120"], {
    env: { SECRET: secret },
    ...(fence.as !== undefined && { uid: fence.as, gid: fence.as }),
  });
  try {
    const work = await makeFolder(fence);
    const target: Target = { pid: victim.pid ?? 0, keyFile, otherRun, port: listening, abstractName };
    const script = attacks[name]?.(target) ?? "";
    const connectTo = fence.separation === "none" ? null : [listed];
    return await run(fence, { script, order: { write: [work], dir: work, connect: connectTo } });
  } finally {
    victim.kill("SIGKILL");
  }
}

/** A folder that belongs to the run's uid. */
async function makeFolder(fence: Fence, mode = 0o755): Promise<string> {
  const made = await mkdtemp(join(folder, "run-"));
  const owner = fence.separation === "none" ? fence.as : (fence.uid ?? fence.as);
  if (owner !== undefined) await chown(made, owner, owner);
  await chmod(made, mode);
  return made;
}

async function listen(where: number | string): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.end();
  });
  await new Promise<void>((resolve) => {
    if (typeof where === "number") server.listen(where, "127.0.0.1", resolve);
    else server.listen(where, resolve);
  });
  closing.push(() => server.close());
  return typeof where === "number" ? (server.address() as AddressInfo).port : 0;
}

async function serve(args: readonly [string, ...string[]]): Promise<void> {
  const served = spawn(runner, ["serve", "--socket", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    ...(isRoot && { uid: ordinary, gid: ordinary }),
  });
  closing.push(() => served.kill("SIGKILL"));
  await expect.poll(() => existsSync(args[0])).toBe(true);
}

/** What a subcommand of the runner prints. */
async function ask(args: readonly string[]): Promise<unknown> {
  const asked = spawn(runner, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  for await (const chunk of asked.stdout) said += String(chunk);
  return JSON.parse(said);
}

let markers = 0;
/** A duration for `sleep` that nobody else has, by which its processes are found. */
function newMarker(): string {
  markers += 1;
  return `${process.pid}${markers}.25`;
}

async function processesWith(marker: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")));
  return pids.filter((_, index) => lines[index]?.startsWith(`sleep\0${marker}\0`)).map(Number);
}
