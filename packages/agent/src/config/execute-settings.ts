// How the agent runs commands.
import { boolean, duration, file, folder, group, type SettingTable, size, whole } from "@fairlead/kernel/settings";
import { providerMirror, type UidRange, uidRange } from "./kinds.ts";

export interface ExecuteSettings {
  readonly executeFolder: string | undefined;
  readonly executeLogBytes: number;
  readonly executeSpoolBytes: number;
  readonly executeProgramMemoryBytes: number;
  readonly executeParallel: number;
  readonly executeTimeLimitMs: number;
  readonly executeRunner: string | undefined;
  readonly executeRunnerSocket: string | undefined;
  readonly executeUids: UidRange;
  readonly executeUnfenced: boolean;
  readonly tofuProviderMirror: string | undefined;
  readonly tofuProviderCache: string | undefined;
  readonly commandKeysFile: string | undefined;
}

const mebibyte = 2 ** 20;

export const executeSettings: SettingTable<ExecuteSettings> = group<ExecuteSettings>("Commands", {
  executeFolder: {
    kind: folder(),
    defaultText: "`fairlead-execute` in `--state-dir`, or in the temporary folder of a pod",
    help: "Folder for masked logs of commands that the hub doesn't have yet",
    details: "The agent creates it for its own user alone.",
  },
  executeLogBytes: {
    name: "executeLogSize",
    kind: size({ from: "1Mi", to: "1Gi", example: "64Mi" }),
    fallback: 1_024 * mebibyte,
    former: { name: "executeLogMib", factor: mebibyte },
    help: "Maximum size of one command's log",
  },
  executeSpoolBytes: {
    name: "executeSpoolSize",
    kind: size({ from: "32Mi", to: "1024Ti", example: "1Gi" }),
    fallback: 1_024 * mebibyte,
    former: { name: "executeSpoolMib", factor: mebibyte },
    help: "Maximum disk space for logs not yet sent to the hub",
    details: "When it is full, programs wait.",
  },
  executeProgramMemoryBytes: {
    name: "executeProgramMemory",
    kind: size({ from: "256Mi", to: "1024Ti", example: "1Gi" }),
    fallback: 1_024 * mebibyte,
    former: { name: "executeProgramMemoryMib", factor: mebibyte },
    help: "Memory limit for each process that a command starts",
    details: "See [kinds and programs](commands-agent.md#kinds-and-programs).",
  },
  executeParallel: {
    kind: whole({ from: 1, to: 16 }),
    fallback: 4,
    help: "Maximum number of commands that this agent runs at once",
  },
  executeTimeLimitMs: {
    name: "executeTimeLimit",
    kind: duration({ from: "1m", to: "24d", example: "12h" }),
    fallback: 7 * 24 * 60 * 60_000,
    help: "Maximum time that a command runs, whatever the hub says",
    details: "The agent then cancels it: gracefully, by force after five minutes, and leaves it after another five.",
  },
  executeRunner: {
    kind: file(),
    defaultText: "`fairlead-runner` of the agent's package, or on the `PATH`",
    help: "Program that fences the programs of commands",
    details: "See [the fence](commands-agent.md#the-fence).",
  },
  executeRunnerSocket: {
    kind: file(),
    help: "Socket of a runner in a container of its own",
    details: "Both containers share the socket's folder.",
  },
  executeUids: {
    kind: uidRange(),
    fallback: { first: 64_000, last: 64_063 },
    help: "User ids for programs of commands, where the agent runs as root",
    details: "Nobody else on the machine can use them.",
  },
  executeUnfenced: {
    kind: boolean(),
    fallback: false,
    help: "Run programs of commands with all rights of the agent's user on this machine",
  },
  tofuProviderMirror: {
    kind: providerMirror(),
    help: "Only source of OpenTofu's providers, whatever commands say: a folder or https://…/",
    details: "See [providers](commands-tofu.md#providers).",
  },
  tofuProviderCache: {
    kind: folder(),
    help: "Folder that keeps OpenTofu's providers for later commands, up to 2 GiB",
    details:
      "No other agent can use the same folder. Without it each command downloads its own ([providers](commands-tofu.md#providers)).",
  },
  commandKeysFile: {
    kind: file(),
    help: "Trust only these public keys (JWK) for command signatures, and ignore the hub's",
    details:
      "A JWK Set, or one JWK (Ed25519) per line. The agent reads it again when a command is signed with another key.",
  },
});
