import { readFile } from "node:fs/promises";
import type { Clock } from "@fairlead/kernel";
import { kubeErrors } from "../errors/index.ts";

/**
 * Reads a bearer token from a file that is replaced as it rotates (kubelet does so at 80 % of its life). The last
 * good one is answered at once; when it is older than a minute it is read again behind that answer.
 */
export function createTokenFile(options: { path: string; clock: Clock }): () => string | Promise<string> {
  const { path, clock } = options;
  let known: { header: string; readAt: number } | undefined;
  let reading: Promise<string> | undefined;
  return () => {
    if (known === undefined) return read();
    // A clock that was set back would keep the old token for as long, and beyond its end.
    if (Math.abs(clock.steadyMs() - known.readAt) > maxAgeMs) {
      // A failed read keeps the old token: the API server says 401 when that one is really over.
      known.readAt = clock.steadyMs();
      read().catch(() => undefined);
    }
    return known.header;
  };

  function read(): Promise<string> {
    reading ??= readHeader().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function readHeader(): Promise<string> {
    const token = await readFile(path, "utf8").then(
      (text) => text.trim(),
      (error: unknown) => {
        throw kubeErrors.KUBE_TOKEN_UNREADABLE({ path, cause: error });
      },
    );
    if (token === "") throw kubeErrors.KUBE_TOKEN_UNREADABLE({ path, cause: undefined });
    known = { header: `Bearer ${token}`, readAt: clock.steadyMs() };
    return known.header;
  }
}

const maxAgeMs = 60_000;
