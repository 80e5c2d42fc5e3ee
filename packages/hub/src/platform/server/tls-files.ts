// A certificate that someone else renews: both files are looked at every few seconds and taken over together.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { serverErrors } from "./errors.ts";

export interface KeyPair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface TlsFiles extends Disposable {
  readonly first: KeyPair;
}

export async function watchTlsFiles(options: {
  readonly certFile: string;
  readonly keyFile: string;
  readonly onChanged: (pair: KeyPair) => void;
  readonly onError: (error: unknown) => void;
  readonly intervalMs?: number;
}): Promise<TlsFiles> {
  const { certFile, keyFile, onChanged, onError, intervalMs = 5_000 } = options;
  const first = await readPair(certFile, keyFile);
  const reload = (): void => {
    readPair(certFile, keyFile).then(onChanged).catch(onError);
  };
  for (const path of [certFile, keyFile]) watchFile(path, { interval: intervalMs, persistent: false }, reload);
  return {
    first,
    [Symbol.dispose]() {
      for (const path of [certFile, keyFile]) unwatchFile(path, reload);
    },
  };
}

async function readPair(certFile: string, keyFile: string): Promise<KeyPair> {
  try {
    const [certPem, keyPem] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
    // Halfway through a renewal the two don't fit; the next look finds them whole.
    if (!new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem))) {
      throw new Error("the key isn't the certificate's");
    }
    return { certPem, keyPem };
  } catch (error) {
    throw serverErrors.CONFIG_CERTIFICATE_UNUSABLE({ certFile, keyFile, cause: error });
  }
}
