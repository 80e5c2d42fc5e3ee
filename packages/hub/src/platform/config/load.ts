// Flags before environment before file before defaults; whoever is wrong is named with the place it came from.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { checkMesh } from "./check-mesh.ts";
import { configErrors, settingUnknown } from "./errors.ts";
import type { HubConfig } from "./hub-config.ts";
import { findNearest, toFlag, toVariable, variablePrefix } from "./names.ts";
import { hasPassword } from "./password.ts";
import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";

export type Invocation =
  | { readonly kind: "serve" | "print-config"; readonly config: HubConfig }
  | { readonly kind: "store"; readonly command: StoreCommand; readonly config: HubConfig }
  | { readonly kind: "admin-token"; readonly revokesOthers: boolean; readonly config: HubConfig }
  | { readonly kind: "help" | "version" };

export type StoreCommand =
  | { readonly kind: "backup"; readonly to: string }
  | { readonly kind: "restore"; readonly from: string; readonly revokesIssued: boolean }
  | { readonly kind: "copy"; readonly from: string; readonly to: string };

export interface Surroundings {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile?: (path: string) => string;
}

export function readInvocation(surroundings: Surroundings): Invocation {
  const { args, env, readFile = (path) => readFileSync(path, "utf8") } = surroundings;
  const { flags, words } = readFlags(args);
  if (flags.has("help")) return { kind: "help" };
  if (flags.has("version")) return { kind: "version" };
  for (const key of ["databaseUrl", "busListenUrl"]) {
    const url = flags.get(key);
    if (typeof url === "string" && hasPassword(url))
      throw configErrors.CONFIG_SECRET_IN_FLAG({ flag: `--${toFlag(key)}` });
  }
  const isAdminToken = words.join(" ") === "admin-token new";
  const revokesOthers = flags.has("revoke-others");
  const command = readCommand(isAdminToken ? [] : words, flags);
  if (revokesOthers && !isAdminToken)
    throw invalidCommand(words.join(" ") || "serve", "only admin-token new takes --revoke-others");
  const variables = readVariables(env);
  const path = flags.get("config") ?? variables.get("config");
  const file = typeof path === "string" ? readConfigFile(path, readFile) : new Map<string, unknown>();
  const sources: Source[] = [
    { values: flags, describe: (setting) => `--${toFlag(setting.key)}` },
    { values: variables, describe: (setting) => toVariable(setting.key) },
    { values: file, describe: () => String(path) },
  ];
  const config = Object.fromEntries(settings.map((setting) => [setting.key, resolve(setting, sources)]));
  const checked = checkTogether(config as unknown as HubConfig);
  if (flags.has("print-config")) return { kind: "print-config", config: checked };
  if (isAdminToken && checked.inMemory) throw invalidCommand("admin-token new", "a hub with --in-memory keeps none");
  if (isAdminToken) return { kind: "admin-token", revokesOthers, config: checked };
  return command === undefined ? { kind: "serve", config: checked } : { kind: "store", command, config: checked };
}

/** Undefined: serve. */
function readCommand(words: readonly string[], flags: ReadonlyMap<string, unknown>): StoreCommand | undefined {
  const text = words.join(" ");
  const kind = text === "" || text === "serve" ? "serve" : /^store (backup|restore|copy)$/.exec(text)?.[1];
  const extra = words[0] === "serve" ? words.slice(1).join(" ") : text;
  if (kind === undefined) throw configErrors.CONFIG_COMMAND_UNKNOWN({ text: JSON.stringify(extra) });
  const [from, to] = ["from", "to"].map((name) => flags.get(name) as string | undefined);
  if (kind === "backup" && to !== undefined && from === undefined) return { kind, to };
  const revokesIssued = flags.has("revoke-issued");
  if (revokesIssued && kind !== "restore")
    throw invalidCommand(text || "serve", "only store restore takes --revoke-issued");
  if (kind === "restore" && from !== undefined && to === undefined) return { kind, from, revokesIssued };
  if (kind === "copy" && from !== undefined && to !== undefined) return { kind, from, to };
  if (kind === "serve" && from === undefined && to === undefined) return undefined;
  throw invalidCommand(text || "serve", takes[kind] ?? "");
}

function invalidCommand(name: string, reason: string): Error {
  return configErrors.CONFIG_INVALID({ name, where: "the command line", reason });
}

const takes: Readonly<Record<string, string>> = {
  serve: "it takes neither --from nor --to",
  backup: "it takes --to FILE",
  restore: "it takes --from FILE",
  copy: "it takes --from PLACE and --to PLACE",
};

interface Source {
  /** By key of the setting. */
  readonly values: ReadonlyMap<string, unknown>;
  describe(setting: Setting): string;
}

function resolve(setting: Setting, sources: readonly Source[]): unknown {
  for (const source of sources) {
    const value = source.values.get(setting.key);
    if (value === undefined) continue;
    const result = setting.schema.safeParse(value);
    if (result.success) return result.data;
    const reason = result.error.issues[0]?.message ?? "it can't be read";
    throw configErrors.CONFIG_INVALID({ name: toFlag(setting.key), where: source.describe(setting), reason });
  }
  return setting.fallback;
}

function checkTogether(config: HubConfig): HubConfig {
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined)) {
    throw configErrors.CONFIG_INVALID({
      name: "tls-cert-file",
      where: "all sources",
      reason: "tls-cert-file and tls-key-file go together",
    });
  }
  if ((config.caCertFile === undefined) !== (config.caKeyFile === undefined)) {
    throw configErrors.CONFIG_INVALID({
      name: "ca-cert-file",
      where: "all sources",
      reason: "ca-cert-file and ca-key-file go together",
    });
  }
  if (config.caCertFile !== undefined && !config.inMemory) {
    throw configErrors.CONFIG_INVALID({
      name: "ca-cert-file",
      where: "all sources",
      reason: "it goes with in-memory: a hub that keeps its state keeps its authority, too",
    });
  }
  const next = [config.nextCaCertFile, config.nextCaKeyFile].filter((file) => file !== undefined);
  if (next.length === 1 || (next.length > 0 && config.caCertFile === undefined)) {
    throw configErrors.CONFIG_INVALID({
      name: "next-ca-cert-file",
      where: "all sources",
      reason: "next-ca-cert-file and next-ca-key-file go together, and with ca-cert-file",
    });
  }
  if (config.previousKeyEncryptionKeyFile !== undefined && config.keyEncryptionKeyFile === undefined) {
    throw configErrors.CONFIG_INVALID({
      name: "previous-key-encryption-key-file",
      where: "all sources",
      reason: "it goes with key-encryption-key-file",
    });
  }
  if (config.argoClusterSecrets && (config.argoKubeconfig === undefined || config.publicUrl === undefined)) {
    throw configErrors.CONFIG_INVALID({
      name: "argo-cluster-secrets",
      where: "all sources",
      reason: "it goes with argo-kubeconfig and public-url, by which Argo CD reaches clusters",
    });
  }
  const isShared = config.argoSharedRedis !== undefined || config.argoSharedRepoServer !== undefined;
  if (isShared !== config.argoShareWith.length > 0) {
    throw configErrors.CONFIG_INVALID({
      name: "argo-share-with",
      where: "all sources",
      reason: "it goes with argo-shared-redis or argo-shared-repo-server, and these with it",
    });
  }
  if (config.argoSharedRedis !== undefined && !config.argoShareOneRedis && isRedisOfSeveral(config)) {
    throw configErrors.CONFIG_INVALID({
      name: "argo-shared-redis",
      where: "all sources",
      reason:
        "who uses it could read and write keys of others: give each cluster its own by {cluster} in the address, or allow it by argo-share-one-redis",
    });
  }
  if ((config.oidcIssuer === undefined) !== (config.oidcClientId === undefined)) {
    throw configErrors.CONFIG_INVALID({
      name: "oidc-issuer",
      where: "all sources",
      reason: "oidc-issuer and oidc-client-id go together",
    });
  }
  if (config.firstAdminTokenEnds && config.oidcIssuer === undefined) {
    throw configErrors.CONFIG_INVALID({
      name: "first-admin-token-ends",
      where: "all sources",
      reason: "without oidc-issuer nobody could take its place",
    });
  }
  if (config.databaseUrl !== undefined && config.databaseUrlFile !== undefined) {
    throw configErrors.CONFIG_INVALID({
      name: "database-url",
      where: "all sources",
      reason: "database-url and database-url-file are two ways to say one thing",
    });
  }
  if (config.busListenUrl !== undefined && config.busListenUrlFile !== undefined) {
    throw configErrors.CONFIG_INVALID({
      name: "bus-listen-url",
      where: "all sources",
      reason: "bus-listen-url and bus-listen-url-file are two ways to say one thing",
    });
  }
  const hasDatabase = config.databaseUrl !== undefined || config.databaseUrlFile !== undefined;
  const listens = config.busListenUrl !== undefined || config.busListenUrlFile !== undefined;
  if (listens && !hasDatabase) {
    throw configErrors.CONFIG_INVALID({
      name: "bus-listen-url",
      where: "all sources",
      reason: "without database-url there is no other hub to listen to",
    });
  }
  if (hasDatabase && config.inMemory) {
    throw configErrors.CONFIG_INVALID({
      name: "in-memory",
      where: "all sources",
      reason: "a hub with database-url keeps its state",
    });
  }
  if (config.hubAddress !== undefined && !hasDatabase) {
    throw configErrors.CONFIG_INVALID({
      name: "hub-address",
      where: "all sources",
      reason: "several hubs need one database: set database-url, too",
    });
  }
  if (config.hubAddress !== undefined && config.keyEncryptionKeyFile === undefined) {
    throw configErrors.CONFIG_INVALID({
      name: "hub-address",
      where: "all sources",
      reason: "several hubs keep the authority's key in their database, encrypted: set key-encryption-key-file, too",
    });
  }
  if ((config.busNatsCertFile === undefined) !== (config.busNatsKeyFile === undefined)) {
    throw configErrors.CONFIG_INVALID({
      name: "bus-nats-cert-file",
      where: "all sources",
      reason: "bus-nats-cert-file and bus-nats-key-file go together",
    });
  }
  const natsFiles = [config.busNatsCaFile, config.busNatsCertFile, config.busNatsCredentialsFile];
  if (config.busNatsUrl === undefined && natsFiles.some((file) => file !== undefined)) {
    throw configErrors.CONFIG_INVALID({
      name: "bus-nats-url",
      where: "all sources",
      reason: "without it the other settings for NATS mean nothing",
    });
  }
  if (!config.oidcScopes.includes("openid")) {
    throw configErrors.CONFIG_INVALID({ name: "oidc-scopes", where: "all sources", reason: "openid isn't among them" });
  }
  checkMesh(config);
  return config;
}

function readFlags(args: readonly string[]): { flags: Map<string, unknown>; words: string[] } {
  const options: Record<string, { type: "boolean" | "string"; short?: string }> = {
    help: { type: "boolean", short: "h" },
    version: { type: "boolean", short: "V" },
    "print-config": { type: "boolean" },
    config: { type: "string", short: "c" },
    from: { type: "string" },
    to: { type: "string" },
    "revoke-others": { type: "boolean" },
    "revoke-issued": { type: "boolean" },
  };
  for (const { key, takes } of settings) options[toFlag(key)] = { type: takes === undefined ? "boolean" : "string" };
  const known = Object.keys(options).map((name) => `--${name}`);
  const keys = new Map(settings.map(({ key }) => [toFlag(key), key as string]));
  const flags = new Map<string, unknown>();
  const words: string[] = [];
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const option = options[token.name];
    if (!option) throw settingUnknown(token.rawName, "the command line", findNearest(token.rawName, known));
    if (option.type === "string" && (token.value === undefined || token.value === "")) {
      throw configErrors.CONFIG_INVALID({ name: token.name, where: token.rawName, reason: "it needs a value" });
    }
    if (option.type === "boolean" && token.value !== undefined && !keys.has(token.name)) {
      throw configErrors.CONFIG_INVALID({ name: token.name, where: token.rawName, reason: "it takes no value" });
    }
    flags.set(keys.get(token.name) ?? token.name, token.value ?? true);
  }
  return { flags, words };
}

function readVariables(env: Surroundings["env"]): Map<string, unknown> {
  const keys = new Map([...settings.map(({ key }) => key as string), "config"].map((key) => [toVariable(key), key]));
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(variablePrefix) || value === undefined || value === "") continue;
    const key = keys.get(name);
    if (key === undefined) throw settingUnknown(name, "the environment", findNearest(name, [...keys.keys()]));
    values.set(key, value);
  }
  return values;
}

function readConfigFile(path: string, readFile: (path: string) => string): Map<string, unknown> {
  let parsed: unknown;
  try {
    parsed = parse(readFile(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw configErrors.CONFIG_FILE_UNREADABLE({ path, reason: code ?? message.split("\n")[0] ?? "unknown reason" });
  }
  if (parsed === null || parsed === undefined) return new Map();
  if (typeof parsed !== "object" || Array.isArray(parsed))
    throw configErrors.CONFIG_FILE_UNREADABLE({ path, reason: "it isn't a mapping" });
  const known = settings.map(({ key }) => key as string);
  for (const key of Object.keys(parsed)) {
    if (!known.includes(key)) throw settingUnknown(key, path, findNearest(key, known));
  }
  return new Map(Object.entries(parsed).filter(([, value]) => value !== null));
}

/** Several clusters, or a cluster and the hub's Argo CD. */
function isRedisOfSeveral({ argoSharedRedis = "", argoShareWith, argoRedisUpstream }: HubConfig): boolean {
  if (argoSharedRedis.includes("{cluster}")) return false;
  const isOfHub = argoRedisUpstream !== undefined && new URL(argoRedisUpstream).host === argoSharedRedis;
  return isOfHub || argoShareWith.includes("*") || new Set(argoShareWith).size > 1;
}
