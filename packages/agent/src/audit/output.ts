import { pino } from "pino";
import type { AuditOutput } from "./service.ts";

export interface AuditStdout extends AuditOutput, Disposable {}

/** Standard output; what is written within one turn of the event loop leaves in one call. */
export function openAuditStdout(): AuditStdout {
  const destination = pino.destination({ fd: 1, sync: true, minLength: 8 * 1024 });
  let isScheduled = false;
  return {
    write(line) {
      destination.write(line);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        destination.flushSync();
      });
    },
    [Symbol.dispose]: () => destination.flushSync(),
  };
}
