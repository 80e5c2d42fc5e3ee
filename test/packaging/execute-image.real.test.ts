// The programs of commands are in their image, and work there: as nobody, on a root that can't be written, with the
// image's own libraries, and with a folder for the agent to work in.
import { spawn, spawnSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority, issueCertificate } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { whyNotConfined } from "../fleet/confine.ts";
import { askContainer, runContainer } from "../fleet/run-image.ts";
import { type UnpackedImage, unpackExecuteImage } from "./unpack-images.ts";

const reason = whyNotConfined();
const bounded = { skip: reason !== "", timeout: 200_000 };
const user = { uid: 65_532, gid: 65_532, groups: [65_532] };
const at = "/var/lib/fairlead-execute";
let folder: string;
let image: UnpackedImage;
let hasTofu = false;
let runs = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-execute-image-"));
  // The containers' user goes through it.
  await chmod(folder, 0o755);
  if (reason !== "") return;
  ({ image, hasTofu } = await unpackExecuteImage(folder));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("whoever runs it finds each program on the PATH, and no settings of any", bounded, () => {
  const ask = (line: string) => {
    return askContainer({ rootfs: image.rootfs, variables: image.runtime.Env, command: ["/bin/sh", "-c", line] });
  };
  expect(ask("git --version")).toMatch(/^git version 2\.39\./);
  expect(ask("helm version --short")).toMatch(/^v4\.\d+\.\d+/);
  if (hasTofu) expect(ask("tofu version")).toMatch(/^OpenTofu v1\.\d+\.\d+\n/);
  // The shell that ends programs when their agent dies waits by it.
  expect(ask("sleep 0 && echo slept")).toBe("slept\n");
  // Neither git nor ssh has settings but those that a command gives it.
  const places = "/etc/gitconfig /etc/ssh /root /home /.ssh /.gitconfig";
  expect(ask(`for place in ${places}; do [ ! -e $place ] || echo $place; done`)).toBe("");
});

test("git clones over HTTPS, with what OpenTofu asks of it for a module", bounded, async () => {
  const volume = await makeVolume();
  await using server = await serveRepository(join(folder, "repositories"));
  await writeFile(join(volume, "ca.crt"), server.caPem);
  const said = await runInside(volume, [
    `git clone --quiet --depth 1 ${server.url} module 2>&1`,
    "cd module",
    "git submodule update --init --recursive --depth 1",
    "read -r line <main.tf",
    'echo "$line"',
  ]);
  expect(said).toBe("# a module\n");
  // An authority that nobody told of isn't trusted.
  const refused = await runInside(volume, [`unset GIT_SSL_CAINFO; git clone ${server.url} other 2>&1 || echo refused`]);
  expect(refused).toMatch(/certificate verification failed[\s\S]*refused\n$/);
});

test("ssh knows its user, reads no settings but those given, and speaks to a server", bounded, async () => {
  const volume = await makeVolume();
  const said = await runInside(volume, [
    "ssh -V 2>&1",
    "ssh -T -F none -G git@example.com | while read -r key value; do [ $key != user ] || echo $value; done",
    "ssh -T -F none -o BatchMode=yes -o ConnectTimeout=1 -p 1 git@127.0.0.1 2>&1 || echo ended",
  ]);
  expect(said).toMatch(
    /^OpenSSH_9\.[^\n]+\ngit\nssh: connect to host 127\.0\.0\.1 port 1: Connection refused\s+ended\n$/,
  );
});

test(
  "the agent in it finds the programs that it needs, and says which kinds of commands it can run",
  bounded,
  async () => {
    const volume = await makeVolume();
    await writeFile(join(volume, "look.mjs"), look);
    const said = JSON.parse(await runInside(volume, ["node look.mjs"]));
    expect(said.programs).toMatchObject({
      git: expect.stringMatching(/^2\.39\./),
      helm: expect.stringMatching(/^4\./),
    });
    expect(said.kinds).toEqual(["manifests", "helm", ...(hasTofu ? ["tofu"] : []), "flow"]);
  },
);

/** By the agent's own code in the image. */
const look = `
import { findAbilities } from "/opt/fairlead/node_modules/@fairlead/agent/dist/execute/index.js";
import { systemClock } from "/opt/fairlead/node_modules/@fairlead/kernel/dist/index.js";
const kinds = ["manifests", "helm", "tofu", "flow"];
const log = { info: () => {}, warn: () => {} };
const fence = async () => undefined;
const options = { kinds, isAllowed: () => true, environment: process.env, folder: "${at}", fence, clock: systemClock, log };
const { programs, canRun } = await findAbilities({ ...options, signal: new AbortController().signal });
console.log(JSON.stringify({ programs: Object.fromEntries(programs), kinds: kinds.filter(canRun) }));
`;

/** Runs lines of shell as the pod's user, below the image's init, in the one folder that can be written. */
async function runInside(volume: string, lines: readonly string[]): Promise<string> {
  const out = join(volume, `out-${++runs}`);
  const script = [`cd ${at}`, `exec >${at}/out-${runs}`, ...lines].join("\n");
  const logFile = join(folder, `inside-${runs}.log`);
  const init = image.runtime.Entrypoint.slice(0, image.runtime.Entrypoint.indexOf("/usr/bin/node"));
  const container = await runContainer({
    name: "inside",
    rootfs: image.rootfs,
    user,
    logFile,
    mounts: [{ at, from: volume, isWritable: true }],
    variables: [...image.runtime.Env, `HOME=${at}`, `TMPDIR=${at}`, `GIT_SSL_CAINFO=${at}/ca.crt`, "LANG=C.UTF-8"],
    command: [...init, "/bin/sh", "-ec", script],
  });
  const { code } = await container.exited;
  if (code !== 0) throw new Error(`it ended with ${code}: ${await readFile(logFile, "utf8")}`);
  return await readFile(out, "utf8");
}

async function makeVolume(): Promise<string> {
  const volume = await mkdtemp(join(folder, "volume-"));
  await chown(volume, 0, user.gid);
  await chmod(volume, 0o2775);
  return volume;
}

/** Git's own server behind HTTPS on loopback, with one repository. */
async function serveRepository(root: string) {
  const repository = join(root, "module");
  await mkdir(repository, { recursive: true });
  await writeFile(join(repository, "main.tf"), "# a module\n");
  const env = { PATH: process.env["PATH"], HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  const names = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.com"];
  for (const args of [
    ["init", "--quiet"],
    ["add", "."],
    [...names, "commit", "--quiet", "--message", "a module"],
  ]) {
    const { status, stderr } = spawnSync("git", args, { cwd: repository, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  }
  const authority = await createAuthority("git server");
  const { certPem, keyPem } = await issueCertificate(authority, {
    commonName: "git",
    usage: "server",
    ipAddresses: ["127.0.0.1"],
  });
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    const asks = request.method === "GET";
    const word = asks ? "advertisement" : "result";
    response.writeHead(200, { "content-type": `application/x-git-upload-pack-${word}` });
    if (asks) response.write("001e# service=git-upload-pack\n0000");
    const version = String(request.headers["git-protocol"] ?? "");
    const args = ["upload-pack", "--stateless-rpc", ...(asks ? ["--advertise-refs"] : []), repository];
    const child = spawn("git", args, { env: { ...env, GIT_PROTOCOL: version }, stdio: ["pipe", "pipe", "ignore"] });
    request.pipe(child.stdin);
    child.stdout.pipe(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/module`,
    caPem: authority.certPem,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
