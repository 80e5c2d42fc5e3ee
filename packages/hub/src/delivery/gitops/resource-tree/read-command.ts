// Reads a client's command: which of those that this endpoint answers by itself, or another one. Pure.
import type { RespVersion } from "./resp/index.ts";

export type RespCommand =
  | {
      readonly is: "hello";
      readonly version: RespVersion | undefined;
      readonly credentials: RespCredentials | undefined;
    }
  | { readonly is: "auth"; readonly credentials: RespCredentials }
  /** About the client itself: it is noted nowhere. */
  | { readonly is: "introduce" }
  | { readonly is: "get"; readonly key: Buffer }
  | { readonly is: "subscribe"; readonly channels: readonly Buffer[] }
  /** Without channels: from all. */
  | { readonly is: "unsubscribe"; readonly channels: readonly Buffer[] }
  | { readonly is: "subscribe-otherwise" }
  | { readonly is: "ping"; readonly text: Buffer | undefined }
  | { readonly is: "begin" }
  | { readonly is: "finish" }
  | { readonly is: "quit" }
  | { readonly is: "malformed"; readonly word: string; readonly reason: string }
  | { readonly is: "refused"; readonly name: string }
  | { readonly is: "other" };

export interface RespCredentials {
  readonly username: string;
  readonly password: Buffer;
}

export function readCommand(args: readonly Buffer[]): RespCommand {
  const [name = "", ...rest] = [args[0]?.toString("latin1").toLowerCase(), ...args.slice(1)] as [string, ...Buffer[]];
  switch (name) {
    case "hello":
      return readHello(rest);
    case "auth":
      return readAuth(rest);
    case "client":
      return readClient(rest);
    case "get":
      return rest.length === 1 ? { is: "get", key: rest[0] as Buffer } : { is: "other" };
    case "subscribe":
      return rest.length === 0 ? malformed(name) : { is: "subscribe", channels: rest };
    case "unsubscribe":
      return { is: "unsubscribe", channels: rest };
    case "psubscribe":
    case "ssubscribe":
      return { is: "subscribe-otherwise" };
    case "ping":
      return rest.length > 1 ? malformed(name) : { is: "ping", text: rest[0] };
    case "multi":
      return { is: "begin" };
    case "exec":
    case "discard":
      return { is: "finish" };
    case "quit":
      return { is: "quit" };
    default:
      return refused.has(name) ? { is: "refused", name } : { is: "other" };
  }
}

function readHello(rest: readonly Buffer[]): RespCommand {
  const [version, ...options] = rest.map((arg) => arg.toString("latin1"));
  if (version === undefined) return { is: "hello", version: undefined, credentials: undefined };
  if (version !== "2" && version !== "3")
    return { is: "malformed", word: "NOPROTO", reason: "unsupported protocol version" };
  let credentials: RespCredentials | undefined;
  for (let at = 0; at < options.length; ) {
    const option = options[at]?.toLowerCase();
    if (option === "auth" && at + 2 < options.length) {
      credentials = { username: options[at + 1] ?? "", password: rest[at + 3] as Buffer };
      at += 3;
    } else if (option === "setname" && at + 1 < options.length) at += 2;
    else return { is: "malformed", word: "ERR", reason: "Syntax error in HELLO" };
  }
  return { is: "hello", version: version === "3" ? 3 : 2, credentials };
}

function readAuth(rest: readonly Buffer[]): RespCommand {
  const [first, second] = rest;
  if (!first || rest.length > 2) return malformed("auth");
  return {
    is: "auth",
    credentials: second
      ? { username: first.toString("latin1"), password: second }
      : { username: "default", password: first },
  };
}

function readClient([verb]: readonly Buffer[]): RespCommand {
  const name = verb?.toString("latin1").toLowerCase();
  if (name === "setinfo" || name === "setname") return { is: "introduce" };
  // Replies would be missing, and those behind them be taken for others.
  return name === "reply" ? { is: "refused", name: "client reply" } : { is: "other" };
}

function malformed(name: string): RespCommand {
  return { is: "malformed", word: "ERR", reason: `wrong number of arguments for '${name}' command` };
}

/** Their replies have no end, or they make another connection of this one. */
const refused: ReadonlySet<string> = new Set(["monitor", "sync", "psync", "replconf", "reset"]);
