import { pause } from "../files/index.ts";
import { loginErrors } from "./errors.ts";

/** Waits for the work, and throws once the time is over or the signal aborts. Keeps the process alive meanwhile. */
export async function waitAtMost<T>(
  awaited: Promise<T>,
  options: { readonly timeoutMs: number; readonly after: string; readonly signal: AbortSignal },
): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const deadline = pause(options.timeoutMs, signal).then(() => {
    throw loginErrors.CLI_LOGIN_TIMEOUT({ after: options.after });
  });
  try {
    return await Promise.race([awaited, deadline]);
  } finally {
    over.abort();
    deadline.catch(() => undefined);
  }
}
