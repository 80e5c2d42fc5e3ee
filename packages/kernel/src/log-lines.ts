// The one shape of log lines of hub and agent: `time`, `level`, `component`, `cluster` and `requestId` where they are
// known, further members, `msg`. These are settings for pino; only the programs depend on it.
import { isFairleadError } from "./errors.ts";
import { redact, redactedPaths } from "./redact.ts";

export interface LineSettings {
  /** No `pid`, `hostname` or `name`: who runs a program knows them. */
  readonly base: null;
  readonly redact: { readonly paths: string[]; readonly censor: string };
  readonly formatters: { level(label: string): object };
  readonly timestamp: () => string;
  readonly serializers: Readonly<Record<"err" | "error", (thrown: unknown) => ErrorRecord>>;
  mixin(line: object, level: number, log: object): object;
}

export function createLineSettings({ component }: { readonly component: string }): LineSettings {
  return {
    base: null,
    redact: { paths: [...redactedPaths], censor: "[redacted]" },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    serializers: { err: describeError, error: describeError },
    mixin: (_line, _level, log: Context) => ({
      component: log[ofComponent] ?? component,
      ...toMember("cluster", log[ofCluster]?.()),
    }),
  };
}

/** A room's logger. Its lines name the room, such as `hub/links`; a line has one component, however often this is called. */
export function forComponent<Log extends { child(bindings: object): unknown }>(log: Log, component: string): Log {
  const child = log.child({}) as Log & Context;
  child[ofComponent] = component;
  return child;
}

/** Lines of this logger, and of those made of it, name the cluster once it is known, unless they name another one. */
export function setLogCluster(log: object, cluster: () => string | undefined): void {
  (log as Context)[ofCluster] = cluster;
}

export interface ErrorRecord {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  readonly stack?: string;
  readonly cause?: ErrorRecord;
}

/** Keeps what says why (code, hint, causes); the stack only of errors that nobody foresaw. */
export function describeError(thrown: unknown): ErrorRecord {
  return describe(thrown, 0);
}

function describe(thrown: unknown, depth: number): ErrorRecord {
  if (!(thrown instanceof Error)) return { message: redact(String(thrown)) };
  const code = (thrown as { code?: unknown }).code;
  const hint = isFairleadError(thrown) ? thrown.hint : undefined;
  return {
    message: redact(thrown.message),
    ...(typeof code === "string" ? { code } : {}),
    ...(hint === undefined ? {} : { hint }),
    ...(isForeseen(thrown, depth) || thrown.stack === undefined ? {} : { stack: redact(thrown.stack) }),
    ...(thrown.cause === undefined || depth >= maxDepth ? {} : { cause: describe(thrown.cause, depth + 1) }),
  };
}

function toMember(name: string, value: string | undefined): object {
  return value === undefined ? {} : { [name]: value };
}

/** Ours have codes; work that is aborted, as by SIGTERM, ends as it should. A library's error around one says no more. */
function isForeseen(error: Error, depth: number): boolean {
  if (isFairleadError(error) || error.name === "AbortError" || error.name === "TimeoutError") return true;
  return depth < maxDepth && error.cause instanceof Error && isForeseen(error.cause, depth + 1);
}

/** Children of a pino logger inherit from it, and so do these. */
interface Context {
  [ofComponent]?: string;
  [ofCluster]?: () => string | undefined;
}

const ofComponent = Symbol("component");
const ofCluster = Symbol("cluster");
const maxDepth = 4;
