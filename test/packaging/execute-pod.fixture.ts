// Runs inside of the agent's container, in the agent's place: asks the runner for programs by the agent's own compiled code,
// and for an attacker, whose program is Node with the file attack.mjs. Prints one line of JSON.
export const driver = `
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "/opt/fairlead/node_modules/@fairlead/kernel/dist/index.js";
import { findAbilities } from "/opt/fairlead/node_modules/@fairlead/agent/dist/execute/index.js";
import { checkOut } from "/opt/fairlead/node_modules/@fairlead/agent/dist/git/index.js";
import * as processes from "/opt/fairlead/node_modules/@fairlead/agent/dist/processes/index.js";

const { childEnvironment, findProgram, findProgramFolders, openFence, openWorkFolder, runProcess } = processes;
const { socket, logs, attack, openPort, closedPort, canaries, sources } = JSON.parse(process.argv[2]);
const never = new AbortController().signal;
const environment = process.env;
const settings = { program: undefined, socket, uids: { first: 64000, last: 64255 } };
const common = { environment, clock: systemClock, signal: never };
const fence = await openFence({ ...common, settings, folder: logs });
const { read: readable } = await findProgramFolders(environment);

const newFolder = () => openWorkFolder(fence.folder, { isShared: fence.isShared });
const fileMode = fence.isShared ? 0o660 : 0o600;

async function run(name, args, prepare = () => {}) {
  await using folder = await newFolder();
  using place = await fence.enter(never);
  const file = prepare(folder.path);
  const stderr = [];
  const options = { name, args: file ? [file, ...args] : args, onStderr: (line) => stderr.push(line) };
  const { exitCode, stdout } = await runIn({ folder, place, ports: [openPort] }, options);
  return { exitCode, stdout: stdout.toString(), stderr: stderr.join("\\n") };
}

async function runIn({ folder, place, ports }, { name, args, folder: at = folder.path, environment: also, onStderr }) {
  return await runProcess({
    program: await findProgram(name, environment.PATH), args, folder: at,
    environment: childEnvironment({ from: environment, home: folder.path, temporary: folder.temporary, also }),
    onStderr, signal: never, forced: never, clock: systemClock,
    pace: { interruptMs: 1000, terminateMs: 1000 },
    fence: { place, write: [folder.path], read: readable, ports },
  });
}

/** As commands check out their sources. */
async function fetchSource(source) {
  await using folder = await newFolder();
  using place = await fence.enter(never);
  const ports = [Number(new URL(source.url).port)];
  const programs = { folder: folder.path, fileMode, run: (program) => runIn({ folder, place, ports }, program) };
  const secrets = { resolve: async (text) => text, conceal: () => {} };
  const lines = [];
  const target = join(folder.path, "source");
  const options = { ...source, programs, folder: target, secrets, mayUse: () => {}, log: { line: (text) => lines.push(text) }, signal: never };
  try {
    await checkOut(options);
    return readFileSync(join(target, "main.tf"), "utf8");
  } catch (error) {
    return [error.code, error.message, ...lines];
  }
}

const told = { landlockAbi: fence.landlockAbi, separation: fence.separation };
told.helm = await run("helm", ["version", "--short"]);
told.sources = [];
for (const source of sources) told.sources.push(await fetchSource(source));
told.tofu = await run("tofu", ["version"]).catch(({ code }) => ({ code }));
const log = { info: () => {}, warn: () => {} };
const kinds = ["manifests", "helm", "tofu", "flow"];
const { canRun } = await findAbilities({ ...common, kinds, isAllowed: () => true, folder: logs, fence: async () => fence, log });
told.kinds = kinds.filter(canRun);

writeFileSync(join(logs, "command.log"), canaries.logs);
// Another run has a folder while the attacker looks around.
await using beside = await newFolder();
writeFileSync(join(beside.path, "values.yaml"), canaries.beside);
using besidePlace = await fence.enter(never);
const end = new AbortController();
let up;
const isUp = new Promise((resolve) => { up = resolve; });
const other = runProcess({
  program: await findProgram("sh", environment.PATH), folder: beside.path, environment: { CANARY: canaries.environment, PATH: environment.PATH },
  args: ["-c", "echo up; sleep 300"], onStdout: () => up(), onStderr: () => {}, signal: end.signal, forced: end.signal,
  pace: { interruptMs: 200, terminateMs: 200 }, clock: systemClock,
  fence: { place: besidePlace, write: [beside.path], read: readable, ports: [] },
});
await isUp;
const aims = { socket, logs, beside: beside.path, openPort, closedPort, canaries: Object.values(canaries) };
told.attack = await run("node", [JSON.stringify(aims)], (path) => {
  writeFileSync(join(path, "attack.mjs"), attack);
  return join(path, "attack.mjs");
});
// What the runner's user made in its folder is the agent's to read and to remove.
told.left = await run("sh", ["-c", "umask 077; echo made >private; git init --quiet deep; git clone --quiet deep other; sleep 1000 & (trap '' INT TERM HUP; sleep 1001 &) ; echo done"]);
told.otherRuns = await Promise.race([other.then(() => false), new Promise((resolve) => setTimeout(() => resolve(true), 100))]);
end.abort();
await other.catch(() => {});
console.log(JSON.stringify(told));
`;

/** Looks for what it shouldn't get at, and prints what it got at as JSON. */
export const attack = `
import { spawn } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

const { socket, logs, beside, openPort, closedPort, canaries } = JSON.parse(process.argv[2]);
const found = [];
let looked = 0;

/** Everything but the image's own programs and libraries. */
function walk(folder, depth = 0) {
  for (const name of list(folder)) {
    const path = join(folder, name);
    if (depth === 0 && ["usr", "opt", "sys", "proc"].includes(name)) continue;
    let stat;
    try { stat = lstatSync(path); } catch { continue; }
    if (stat.isDirectory()) { if (depth < 8) walk(path, depth + 1); continue; }
    if (!stat.isFile() || stat.size > 1e6) continue;
    const text = attempt(() => readFileSync(path, "latin1"));
    looked += 1;
    if (typeof text === "string" && canaries.some((canary) => text.includes(canary))) found.push(path);
  }
}
function list(folder) { try { return readdirSync(folder); } catch { return []; } }
function attempt(what) { try { return what() ?? "worked"; } catch (error) { return { code: error.code }; } }
function dial(target) {
  return new Promise((resolve) => {
    const connection = connect(target);
    let said = Buffer.alloc(0);
    connection.on("data", (bytes) => { said = Buffer.concat([said, bytes]); });
    connection.once("connect", () => { if (target.port) { connection.destroy(); resolve("connected"); } });
    connection.once("error", ({ code }) => resolve(code));
    connection.once("close", () => resolve(said.toString("latin1")));
    // A runner that lets nobody in says so at once.
    if (target.path) setTimeout(() => {
      if (connection.destroyed) return;
      const order = Buffer.from(JSON.stringify({ argv: ["/usr/bin/helm", "version"], env: [], dir: "/", separation: "none", write: [], read: [], connect: null }));
      const head = Buffer.alloc(5);
      head.writeUInt32BE(order.length, 1);
      connection.write(Buffer.concat([head, order]));
    }, 1000);
  });
}

const places = ["/", "/etc", "/etc/ssl", "/dev", "/home", "/root", "/run", "/tmp", "/var", "/var/lib", "."];
places.push("/run/fairlead", "/run/fairlead/runner", "/run/fairlead/token", "/run/secrets/kubernetes.io/serviceaccount", logs, beside);
for (const place of places) walk(place);
for (const pid of list("/proc").filter((name) => /^\\d+$/.test(name)))
  for (const name of ["environ", "maps", "root/var/lib/fairlead-execute"]) {
    const got = attempt(() => (name.startsWith("root") ? readdirSync : readFileSync)(join("/proc", pid, name)));
    if (!got.code && pid !== String(process.pid)) found.push(join("/proc", pid, name));
  }
const spawnAt = (command, args) => new Promise((resolve) => {
  const child = spawn(command, args, { detached: true, stdio: "ignore" });
  child.once("error", ({ code }) => resolve(code));
  child.once("spawn", () => { child.unref(); resolve("started"); });
});
console.log(JSON.stringify({
  found, looked,
  uid: process.getuid(), groups: process.getgroups(),
  account: attempt(() => readFileSync("/var/run/secrets/kubernetes.io/serviceaccount/token", "utf8")),
  logs: attempt(() => readdirSync(logs)),
  runs: attempt(() => readdirSync(join(beside, ".."))),
  beside: attempt(() => readFileSync(join(beside, "values.yaml"), "utf8")),
  writeBeside: attempt(() => writeFileSync(join(beside, "values.yaml"), "mine")),
  writeRunner: attempt(() => writeFileSync("/run/fairlead/runner/mine", "mine")),
  removeSocket: attempt(() => unlinkSync(socket)),
  agent: attempt(() => readFileSync("/proc/1/environ", "latin1")),
  killRunner: attempt(() => { process.kill(1, "SIGKILL"); }),
  environment: Object.keys(process.env).sort(),
  socket: await dial({ path: socket }),
  openPort: await dial({ port: openPort, host: "127.0.0.1" }),
  closedPort: await dial({ port: closedPort, host: "127.0.0.1" }),
  daemon: await spawnAt("/bin/sleep", ["1000"]),
}));
`;
