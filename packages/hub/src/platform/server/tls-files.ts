// A certificate that someone else renews: both files are looked at every few seconds and taken over together.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { repeat, systemClock } from "@fairlead/kernel";
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
  // By their content: two writes within a tick of the file system's clock have the same time.
  let seen: KeyPair | undefined = first;
  const looking = repeat({
    clock: systemClock,
    intervalMs,
    onError,
    async run() {
      const found = await readFiles(certFile, keyFile).catch(() => undefined);
      if (found?.certPem === seen?.certPem && found?.keyPem === seen?.keyPem) return;
      seen = found;
      onChanged(await readPair(certFile, keyFile));
    },
  });
  return { first, [Symbol.dispose]: () => looking[Symbol.dispose]() };
}

async function readPair(certFile: string, keyFile: string): Promise<KeyPair> {
  try {
    const pair = await readFiles(certFile, keyFile);
    // Halfway through a renewal the two don't fit; the next look finds them whole.
    if (!new X509Certificate(pair.certPem).checkPrivateKey(createPrivateKey(pair.keyPem))) {
      throw new Error("the key isn't the certificate's");
    }
    return pair;
  } catch (error) {
    throw serverErrors.CONFIG_CERTIFICATE_UNUSABLE({ certFile, keyFile, cause: error });
  }
}

async function readFiles(certFile: string, keyFile: string): Promise<KeyPair> {
  const [certPem, keyPem] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
  return { certPem, keyPem };
}
