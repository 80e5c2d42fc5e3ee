// Certificates that the agent trusts in addition: those of a private authority, of an inspecting proxy, or of a load
// balancer that ends TLS before the hub. Read again for each connection, so that a bundle can be replaced.

import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { getCACertificates } from "node:tls";
import { listCertificates } from "@fairlead/kernel";
import { dialErrors } from "./errors.ts";

/** `system` instead of a path stands for what this machine trusts. */
export async function readExtraCa(caFile: string | undefined): Promise<readonly string[]> {
  if (caFile === undefined) return [];
  if (caFile === "system") return systemCa();
  const text = await readFile(caFile, "utf8").catch((cause: unknown) => {
    throw dialErrors.LINK_CA_FILE_UNUSABLE({ path: caFile, detail: "it can't be read", cause });
  });
  const certificates = listCertificates(text);
  if (certificates.length === 0)
    throw dialErrors.LINK_CA_FILE_UNUSABLE({ path: caFile, detail: "it holds no certificate in PEM form" });
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch (cause) {
      throw dialErrors.LINK_CA_FILE_UNUSABLE({ path: caFile, detail: "one of its certificates can't be read", cause });
    }
  }
  return certificates;
}

let system: readonly string[] | undefined;

function systemCa(): readonly string[] {
  system ??= [...new Set([...getCACertificates("default"), ...getCACertificates("system")])];
  return system;
}
