import { pino } from "pino";
import type { AuditOutput } from "./service.ts";

export interface AuditStdout extends AuditOutput, Disposable {}

/** Standard output; what is written within one turn of the event loop leaves in one call. */
export function openAuditStdout(): AuditStdout {
  // Gathered here and not there: its own flush syncs the file below each time, and all requests wait for the disk.
  const destination = pino.destination({ fd: 1, sync: true });
  let lines = "";
  return {
    write(line) {
      if (lines === "") setImmediate(flush);
      lines += line;
    },
    [Symbol.dispose]: flush,
  };

  function flush(): void {
    if (lines === "") return;
    const text = lines;
    lines = "";
    destination.write(text);
  }
}
