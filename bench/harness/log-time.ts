/** Milliseconds since the epoch of a log line's time: Pino writes either that or a date. */
export function readLogTime(time: unknown): number {
  return typeof time === "number" ? time : Date.parse(String(time));
}
