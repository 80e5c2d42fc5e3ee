// Reads what the hub is asked to do, and with which settings.
import { readFileSync } from "node:fs";
import { readSettings, settingErrors } from "@fairlead/kernel/settings";
import { parse } from "yaml";
import { checkTogether } from "./check-together.ts";
import { configErrors } from "./errors.ts";
import { type HubConfig, hubProgram } from "./settings.ts";

export type Invocation =
  | { readonly kind: "help" | "version" }
  | (Order & {
      readonly config: HubConfig;
      /** Lines for standard error, about settings that are spelled as formerly. */
      readonly warnings: readonly string[];
    });

type Order =
  | { readonly kind: "serve" | "print-config" }
  | { readonly kind: "store"; readonly command: StoreCommand }
  | { readonly kind: "admin-token"; readonly revokesOthers: boolean };

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
  const read = readSettings(hubProgram, {
    args,
    env,
    readFile: (path) => parse(readFile(path), { logLevel: "error" }),
  });
  if (!("config" in read)) return read;
  const { config, flags, words, warnings } = read;
  const order = readOrder(words, flags);
  checkTogether(config);
  if (read.kind === "print-config") return { kind: "print-config", config, warnings };
  if (order.kind === "admin-token" && config.inMemory)
    throw invalidCommand("admin-token new", "a hub with --in-memory keeps no tokens");
  return { ...order, config, warnings };
}

function readOrder(words: readonly string[], flags: ReadonlyMap<string, string | true>): Order {
  const isAdminToken = words.join(" ") === "admin-token new";
  const revokesOthers = flags.has("--revoke-others");
  const command = readCommand(isAdminToken ? [] : words, flags);
  if (revokesOthers && !isAdminToken)
    throw invalidCommand(words.join(" ") || "serve", "only admin-token new takes --revoke-others");
  if (isAdminToken) return { kind: "admin-token", revokesOthers };
  return command === undefined ? { kind: "serve" } : { kind: "store", command };
}

/** Undefined: serve. */
function readCommand(words: readonly string[], flags: ReadonlyMap<string, string | true>): StoreCommand | undefined {
  const text = words.join(" ");
  const kind = text === "" || text === "serve" ? "serve" : /^store (backup|restore|copy)$/.exec(text)?.[1];
  const extra = words[0] === "serve" ? words.slice(1).join(" ") : text;
  if (kind === undefined) throw configErrors.CONFIG_COMMAND_UNKNOWN({ text: JSON.stringify(extra) });
  const [from, to] = ["--from", "--to"].map((flag) => flags.get(flag) as string | undefined);
  if (kind === "backup" && to !== undefined && from === undefined) return { kind, to };
  const revokesIssued = flags.has("--revoke-issued");
  if (revokesIssued && kind !== "restore")
    throw invalidCommand(text || "serve", "only store restore takes --revoke-issued");
  if (kind === "restore" && from !== undefined && to === undefined) return { kind, from, revokesIssued };
  if (kind === "copy" && from !== undefined && to !== undefined) return { kind, from, to };
  if (kind === "serve" && from === undefined && to === undefined) return undefined;
  throw invalidCommand(text || "serve", takes[kind] ?? "");
}

function invalidCommand(name: string, reason: string): Error {
  return settingErrors.CONFIG_INVALID({ name, reason, program: hubProgram.name });
}

const takes: Readonly<Record<string, string>> = {
  serve: "it takes neither --from nor --to",
  backup: "it takes --to FILE",
  restore: "it takes --from FILE",
  copy: "it takes --from PLACE and --to PLACE",
};
