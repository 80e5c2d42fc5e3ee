// The Secrets of the cluster as one command has them.
import { createSecretResolver } from "../secrets/index.ts";
import type { SecretValues } from "./types.ts";

export function openSecrets(
  options: Omit<Parameters<typeof createSecretResolver>[0], "onRead"> &
    Pick<SecretValues, "concealed" | "redact" | "read">,
): SecretValues {
  const { conceal, concealed, redact, read } = options;
  const resolver = createSecretResolver({ ...options, onRead: (secret) => void read.add(secret) });
  return {
    conceal,
    concealed,
    redact,
    read,
    resolve: resolver.resolve,
    forHost: (place) => ({ conceal, resolve: resolver.forHost(place) }),
    heeding: (signal) => openSecrets({ ...options, signal }),
  };
}
