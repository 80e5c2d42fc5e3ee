import { isFairleadError, redact, redactedPaths } from "@fairlead/kernel";
import { type DestinationStream, type Logger, pino } from "pino";

export type { Logger } from "pino";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";

/** Writes a JSON object per line to stdout. Secrets are masked by member name, and by shape in the texts of errors. */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly name: string;
  readonly destination?: DestinationStream;
}): Logger {
  const { level, name, destination } = options;
  const settings = {
    name,
    level,
    redact: { paths: [...redactedPaths], censor: "[redacted]" },
    serializers: { err: describeError, error: describeError },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return destination ? pino(settings, destination) : pino(settings);
}

export interface ErrorRecord {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  readonly stack?: string;
  readonly cause?: ErrorRecord;
}

/** Keeps what says why (code, hint, causes); the stack only of what we didn't foresee. */
export function describeError(thrown: unknown): ErrorRecord {
  return describe(thrown, 0);
}

function describe(thrown: unknown, depth: number): ErrorRecord {
  if (!(thrown instanceof Error)) return { message: redact(String(thrown)) };
  const code = (thrown as { code?: unknown }).code;
  const isCoded = isFairleadError(thrown);
  return {
    message: redact(thrown.message),
    ...(typeof code === "string" ? { code } : {}),
    ...(isCoded && thrown.hint !== undefined ? { hint: thrown.hint } : {}),
    ...(isCoded || thrown.stack === undefined ? {} : { stack: redact(thrown.stack) }),
    ...(thrown.cause === undefined || depth >= maxDepth ? {} : { cause: describe(thrown.cause, depth + 1) }),
  };
}

const maxDepth = 4;
