import { createLineSettings, redact } from "@fairlead/kernel";
import { type DestinationStream, type Logger, pino } from "pino";

/** JSON lines on stdout. Secrets are masked twice: by member name, and in whatever text slipped through. */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  return pino(
    { level: options.level, ...createLineSettings({ component: "agent" }), hooks: { streamWrite: redact } },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  );
}
