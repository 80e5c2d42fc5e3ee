// The environment in which git runs. The agent's user and the machine's configuration have no part in it. Credentials
// are in the environment or in a file for the owner alone, and hold for this repository only.
import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isLoopbackHost } from "../policy/index.ts";
import type { ChildEnvironment } from "../processes/index.ts";
import type { GitAddress } from "./address.ts";
import type { GitPrograms } from "./run-git.ts";
import type { GitSource } from "./source.ts";

interface GitAccess extends AsyncDisposable {
  readonly environment: ChildEnvironment;
}

interface AccessOptions extends Pick<GitSource, "credentials" | "knownHosts"> {
  readonly address: GitAddress;
  readonly programs: Pick<GitPrograms, "folder" | "fileMode" | "connectCommand">;
  readonly secrets: { resolve(text: string): Promise<string>; conceal(value: string): void };
}

export async function prepareAccess(options: AccessOptions): Promise<GitAccess> {
  const { address } = options;
  await using files = new AsyncDisposableStack();
  const { settings, environment } =
    address.is === "http" ? await prepareHttp(options) : await prepareSsh(options, files);
  const config = [...common, [`protocol.${schemeOf(address)}.allow`, "always"] as const, ...settings];
  const kept = files.move();
  return {
    environment: { ...base, ...environment, ...asVariables(config) },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

interface Prepared {
  readonly settings: readonly (readonly [string, string])[];
  readonly environment: ChildEnvironment;
}

/** A header that git sends to this repository alone: a proxy that asks for a password isn't given it. */
async function prepareHttp({ address, credentials, secrets }: AccessOptions): Promise<Prepared> {
  const settings: [string, string][] = [
    // The host that the policy was asked about, and no other.
    ["http.followRedirects", "false"],
    ["http.lowSpeedLimit", "1000"],
    ["http.lowSpeedTime", "60"],
  ];
  if (credentials?.password !== undefined) {
    const username = await secrets.resolve(credentials.username ?? "git");
    const password = (await secrets.resolve(credentials.password)).trim();
    const encoded = Buffer.from(`${username}:${password}`).toString("base64");
    secrets.conceal(encoded);
    settings.push([`http.${address.url}.extraHeader`, `Authorization: Basic ${encoded}`]);
  }
  return { settings, environment: {} };
}

async function prepareSsh(options: AccessOptions, files: AsyncDisposableStack): Promise<Prepared> {
  const { credentials, knownHosts = "", programs, secrets } = options;
  const keep = async (content: string): Promise<string> => {
    const path = join(programs.folder, `git-${randomBytes(6).toString("hex")}`);
    await writeFile(path, `${content.trimEnd()}\n`, { mode: programs.fileMode ?? 0o600, flag: "wx" });
    files.defer(() => rm(path, { force: true }));
    return path;
  };
  const known = await keep(await secrets.resolve(knownHosts));
  const { privateKey } = credentials ?? {};
  const key = privateKey === undefined ? "none" : await keep(await secrets.resolve(privateKey));
  const choices = [`UserKnownHostsFile=${quote(known)}`, ...sshChoices, ...wayOut(options)].map(
    (choice) => `-o ${choice}`,
  );
  return { settings: [], environment: { GIT_SSH_COMMAND: `ssh -F none -i ${quote(key)} ${choices.join(" ")}` } };
}

/** Slots of this machine aren't behind the proxy. */
function wayOut({ address, programs: { connectCommand } }: AccessOptions): readonly string[] {
  const isDirect = connectCommand === undefined || isLoopbackHost(address.host);
  return [isDirect ? "ProxyCommand=none" : quote(`ProxyCommand=${connectCommand}`)];
}

function schemeOf({ is, url }: GitAddress): string {
  return is === "ssh" ? "ssh" : new URL(url).protocol.slice(0, -1);
}

/** Unlike arguments they are not for anybody to read. */
function asVariables(config: readonly (readonly [string, string])[]): ChildEnvironment {
  const variables = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(variables), GIT_CONFIG_COUNT: String(config.length) };
}

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

const base: ChildEnvironment = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LFS_SKIP_SMUDGE: "1",
  LC_ALL: "C",
};

const common: readonly (readonly [string, string])[] = [
  ["protocol.allow", "never"],
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.symlinks", "true"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["credential.helper", ""],
  // Git may run as another user than the one that made the folder.
  ["safe.directory", "*"],
  ["fetch.recurseSubmodules", "false"],
  ["submodule.recurse", "false"],
  // Git keeps what it fetches as one pack, so that its size can be checked.
  ["fetch.unpackLimit", "1"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["advice.detachedHead", "false"],
];

const sshChoices = [
  "BatchMode=yes",
  "StrictHostKeyChecking=yes",
  "GlobalKnownHostsFile=none",
  "UpdateHostKeys=no",
  "IdentitiesOnly=yes",
  "IdentityAgent=none",
  "PreferredAuthentications=publickey",
  "ForwardAgent=no",
  "ClearAllForwardings=yes",
  "PermitLocalCommand=no",
  "ControlPath=none",
  "ConnectTimeout=15",
  "ServerAliveInterval=15",
  "ServerAliveCountMax=4",
];
