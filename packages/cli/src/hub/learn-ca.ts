// The hub's CA may be followed by another. The hub says on each answer which it has; over a connection that those trusted
// so far verified, the rest is learnt from it.

import { X509Certificate } from "node:crypto";
import { caPath } from "@fairlead/contract/client";
import { listCertificates } from "@fairlead/kernel";
import type { RequestTrace } from "../trace/index.ts";
import { createHubFetch } from "./http.ts";

export interface LearnCaOptions {
  readonly hub: string;
  /** The CAs trusted so far, PEM. */
  readonly ca: string;
  readonly proxy?: Record<string, string> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: RequestTrace | undefined;
}

/** True when the hub has other CAs than these, and one of these among them: a CA of somebody else's says nothing of it. */
export function isCaOutdated(ca: string, told: string): boolean {
  const known = new Set(fingerprintsOf(ca));
  const now = told.split(",").map((text) => text.trim());
  return now.some((one) => known.has(one)) && (now.length !== known.size || now.some((one) => !known.has(one)));
}

/** The CAs that the hub has now; undefined when they are those trusted so far, or can't be learnt. */
export async function learnCa({ hub, ca, proxy, signal, trace }: LearnCaOptions): Promise<string | undefined> {
  try {
    const init = { method: "GET", headers: {}, ...(signal && { signal }) };
    const answer = await createHubFetch({ ca, proxy, trace, timeoutMs: 10_000 })(hub + caPath, init);
    const bundle = listCertificates(await answer.text())
      .map((pem) => `${pem}\n`)
      .join("");
    return answer.status === 200 && isCaOutdated(ca, fingerprintsOf(bundle).join()) ? bundle : undefined;
  } catch {
    // It is asked again with the next command.
    return undefined;
  }
}

function fingerprintsOf(pem: string): string[] {
  return listCertificates(pem).map((one) => new X509Certificate(one).fingerprint256.replaceAll(":", "").toLowerCase());
}
