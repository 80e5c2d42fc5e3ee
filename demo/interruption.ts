// Ctrl-C reaches the demo twice: from the terminal, and once more from npm, which passes it on.
import type { EventEmitter } from "node:events";

const echoMs = 1000;

/** Aborted by the first signal; `giveUp` is called by one that a person sends after that. */
export function listenForInterruption(options: {
  source: Pick<EventEmitter, "on">;
  giveUp: () => void;
  now?: () => number;
}): AbortSignal {
  const { source, giveUp, now = () => performance.now() } = options;
  const interrupted = new AbortController();
  let firstAt: number | undefined;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    source.on(name, () => {
      if (firstAt !== undefined && now() - firstAt > echoMs) giveUp();
      firstAt ??= now();
      interrupted.abort(new Error(`ended by ${name}`));
    });
  }
  return interrupted.signal;
}
