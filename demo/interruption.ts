// Ctrl-C reaches the demo twice: from the terminal, and once more from npm, which passes it on. Another signal to npm
// doesn't reach it at all, because the shell between them dies of it: that one is noticed by its absence.
import type { EventEmitter } from "node:events";

const echoMs = 1000;
const parentCheckMs = 250;

/** Aborted by the first signal, or when the parent is gone; `giveUp` is called by one that a person sends after that. */
export function listenForInterruption(options: {
  source: Pick<EventEmitter, "on">;
  giveUp: () => void;
  now?: () => number;
  getParent?: () => number;
}): AbortSignal {
  const { source, giveUp, now = () => performance.now(), getParent = () => process.ppid } = options;
  const interrupted = new AbortController();
  let firstAt: number | undefined;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    source.on(name, () => {
      if (firstAt !== undefined && now() - firstAt > echoMs) giveUp();
      firstAt ??= now();
      interrupted.abort(new Error(`ended by ${name}`));
    });
  }
  const parent = getParent();
  const watch = setInterval(() => {
    if (getParent() === parent) return;
    clearInterval(watch);
    interrupted.abort(new Error("ended because npm did"));
  }, parentCheckMs).unref();
  return interrupted.signal;
}
