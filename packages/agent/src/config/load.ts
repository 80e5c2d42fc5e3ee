import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { printSettings, readSettings, userFolder } from "@fairlead/kernel/settings";
import type { TracingConfig } from "@fairlead/kernel/tracing";
import type { Environment } from "@fairlead/kube";
import type { GitopsMode, Role } from "@fairlead/protocol";
import { parse } from "yaml";
import type { FenceWish } from "../processes/index.ts";
import { type ArgoRedisConfig, toArgoRedis } from "./argo-redis.ts";
import { checkIdentity } from "./check-identity.ts";
import { configErrors, settingInvalid } from "./errors.ts";
import { type ListenAddress, toListenAddress } from "./listen-address.ts";
import { agentProgram, type Settings } from "./settings.ts";
import { type SharedBackendsConfig, toSharedBackends } from "./shared-backends.ts";

export interface AgentConfig {
  readonly hub: URL;
  /** The hub vouches for the agent by a certificate, or a mesh does. */
  readonly identity: "certificate" | "mesh";
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly proxy: string | undefined;
  readonly caFile: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly policyFile: string | undefined;
  readonly roles: readonly Role[];
  readonly stateDir: string | undefined;
  readonly identitySecret: string | undefined;
  /** Where identities go when neither a folder nor a Secret was asked for. */
  readonly stateHome: string;
  readonly observe: ObserveConfig;
  readonly execute: ExecuteConfig;
  readonly gitops: GitopsConfig;
  readonly healthListen: ListenAddress;
  /** Serves metrics alone. Undefined: nowhere but with the health pages. */
  readonly metricsListen: ListenAddress | undefined;
  readonly logLevel: string;
  readonly drainMs: number;
  readonly tracing: TracingConfig;
  /** Passed on to what needs the environment: credential plugins, in-cluster detection. */
  readonly env: Environment;
}

export interface ObserveConfig {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly namespaces: readonly string[];
  readonly labelSelector: string | undefined;
  readonly envValues: "keep" | "mask";
  readonly maxObjectBytes: number;
  /** Undefined: this agent is the only one, and leads. */
  readonly lease: string | undefined;
  /** Says, too, whether the cluster is fit to run workloads. */
  readonly doctor: boolean;
  readonly doctorProbes: boolean;
}

export interface ExecuteConfig {
  /** Where logs wait for the hub, and programs have their folders. Undefined: a folder beside the identity, or a temporary one in a pod. */
  readonly folder: string | undefined;
  readonly parallel: number;
  /** How long a command runs at most, whatever the hub says. */
  readonly timeLimitMs: number;
  /** The longest log of one command. */
  readonly logBytes: number;
  /** The room in the folder for all logs that wait. */
  readonly spoolBytes: number;
  /** The most memory of each process of a program that commands run. */
  readonly programMemoryBytes: number;
  /** What keeps programs of commands apart from the agent. */
  readonly fence: FenceWish;
  /** Undefined: the hub says by which keys it signs. */
  readonly keysFile: string | undefined;
  /** OpenTofu's providers. */
  readonly providers: {
    /** A folder, or https://…/. Undefined: commands may name one. */
    readonly mirror: string | undefined;
    /** Undefined: commands share none. */
    readonly cacheFolder: string | undefined;
  };
}

export interface GitopsConfig {
  readonly argoNamespace: string;
  /** Beside that. */
  readonly applicationNamespaces: readonly string[];
  readonly modes: readonly GitopsMode[];
  /** Undefined: this agent is the only one, and leads. */
  readonly lease: string | undefined;
  /** Argo CD's. Undefined: the hub shows no resource trees of this cluster. */
  readonly redis: ArgoRedisConfig | undefined;
  readonly sharedBackends: SharedBackendsConfig;
}

export type Invocation =
  | { readonly kind: "help" | "version" }
  | { readonly kind: "print-config"; readonly text: string; readonly warnings: readonly string[] }
  | {
      readonly kind: "run";
      readonly config: AgentConfig;
      /** Lines for standard error, about settings that are spelled as formerly. */
      readonly warnings: readonly string[];
    };

/** Flags, then environment, then the YAML file, then defaults. */
export async function readInvocation(options: { argv: readonly string[]; env?: Environment }): Promise<Invocation> {
  const { argv, env = process.env } = options;
  const read = readSettings(agentProgram, {
    args: argv,
    env,
    readFile: (path) => parse(readFileSync(path, "utf8"), { logLevel: "error" }),
  });
  if (!("config" in read)) return read;
  const { config: settings, words, warnings } = read;
  if (words[0] !== undefined)
    throw settingInvalid("The command line", `${JSON.stringify(words[0])} was given, expected flags only`);
  if (read.kind === "print-config") return { kind: "print-config", text: printable(settings), warnings };
  return { kind: "run", config: toConfig(settings, env), warnings };
}

function toConfig(settings: Settings, env: Environment): AgentConfig {
  if (!settings.hub) throw configErrors.CONFIG_HUB_MISSING();
  if (settings.stateDir !== undefined && settings.identitySecret !== undefined)
    throw settingInvalid(
      "--identity-secret",
      "it can't be combined with --state-dir: the identity is kept in one place",
    );
  const hub = new URL(settings.hub.replace(/^ws(s?):/, "http$1:"));
  checkIdentity(settings, hub);
  return {
    hub,
    identity: settings.identity,
    token: settings.token,
    tokenFile: settings.tokenFile,
    proxy: settings.proxy,
    caFile: settings.caFile,
    kubeconfig: settings.kubeconfig,
    context: settings.context,
    policyFile: settings.policyFile,
    roles: [...new Set(settings.roles)],
    stateDir: settings.stateDir,
    identitySecret: settings.identitySecret,
    stateHome: resolve(env["XDG_STATE_HOME"] || join(userFolder(), ".local", "state"), "fairlead-agent"),
    observe: {
      include: settings.observeInclude,
      exclude: settings.observeExclude,
      namespaces: [...new Set(settings.observeNamespaces)],
      labelSelector: settings.observeLabelSelector,
      envValues: settings.observeEnvValues,
      maxObjectBytes: settings.observeMaxObjectBytes,
      doctor: settings.observeDoctor,
      doctorProbes: settings.observeDoctorProbes,
      // In a pod there may be a second one, if only while the first one is being replaced.
      lease: settings.observeLease ?? (settings.kubeconfig === undefined ? "fairlead-agent-observe" : undefined),
    },
    execute: {
      folder: settings.executeFolder,
      parallel: settings.executeParallel,
      timeLimitMs: settings.executeTimeLimitMs,
      logBytes: settings.executeLogBytes,
      spoolBytes: settings.executeSpoolBytes,
      programMemoryBytes: settings.executeProgramMemoryBytes,
      fence: toFenceWish(settings),
      keysFile: settings.commandKeysFile,
      providers: {
        mirror: settings.tofuProviderMirror,
        cacheFolder: settings.tofuProviderCache,
      },
    },
    gitops: {
      argoNamespace: settings.argoNamespace,
      applicationNamespaces: [...new Set(settings.argoApplicationNamespaces)],
      modes: [...new Set(settings.gitopsModes)],
      lease: settings.gitopsLease ?? (settings.kubeconfig === undefined ? "fairlead-agent-gitops" : undefined),
      redis: toArgoRedis(settings),
      sharedBackends: toSharedBackends(settings),
    },
    healthListen: toListenAddress(settings.healthListen),
    metricsListen: settings.metricsListen === undefined ? undefined : toListenAddress(settings.metricsListen),
    logLevel: settings.logLevel,
    drainMs: settings.drainMs,
    tracing: {
      otlpEndpoint: settings.otlpEndpoint,
      otlpHeadersFile: settings.otlpHeadersFile,
      traceSampleRatio: settings.traceSampleRatio,
    },
    // The join token and the proxy's password are no business of a credential plugin.
    env: { ...env, FAIRLEAD_AGENT_TOKEN: undefined, FAIRLEAD_AGENT_PROXY: undefined },
  };
}

function toFenceWish(settings: Settings): FenceWish {
  if (settings.executeUnfenced) return { is: "unfenced" };
  const { executeRunner: program, executeRunnerSocket: socket, executeUids: uids } = settings;
  return { is: "fenced", settings: { program: program && resolve(program), socket: socket && resolve(socket), uids } };
}

/** As JSON, which is YAML, too. */
function printable(settings: Settings): string {
  const shown = printSettings(agentProgram, settings).map(({ name, value }) => [name, value]);
  return `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`;
}
