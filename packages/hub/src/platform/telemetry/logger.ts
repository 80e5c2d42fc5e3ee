import { createLineSettings } from "@fairlead/kernel";
import { type DestinationStream, type Logger, pino } from "pino";

export type { Logger } from "pino";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";

/** Writes a JSON object per line to stdout. Secrets are masked by member name, and by shape in the texts of errors. */
export function createLogger(options: {
  readonly level: LogLevel;
  /** The component of lines of no room's own. */
  readonly name: string;
  readonly destination?: DestinationStream;
}): Logger {
  const { level, name, destination } = options;
  const settings = { level, ...createLineSettings({ component: name }) };
  return destination ? pino(settings, destination) : pino(settings);
}
