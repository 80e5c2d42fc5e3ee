import { isFairleadError, redact, redactedPaths } from "@fairlead/kernel";
import { type DestinationStream, type Logger, pino } from "pino";

/** JSON lines on stdout. Secrets are masked twice: by member name, and in whatever text slipped through. */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: { process: "agent" },
      redact: { paths: [...redactedPaths], censor: "[redacted]" },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      serializers: { err: describeError },
      hooks: { streamWrite: redact },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  const code = "code" in error ? error.code : undefined;
  // Our own errors are told apart by their code; a stack helps only with what nobody expected.
  const stack = isFairleadError(error) ? undefined : error.stack;
  return { code, message: error.message, ...(stack && { stack }), ...(cause !== undefined && { cause }) };
}
