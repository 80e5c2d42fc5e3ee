import { X509Certificate } from "node:crypto";
import { Agent, request } from "node:https";
import type { TLSSocket } from "node:tls";
import { hubUnreachable } from "@fairlead/contract/client";
import { findPinnedCertificate, type PeerCertificate } from "@fairlead/kernel";
import { cliErrors, usage } from "../errors.ts";
import type { RequestTrace } from "../trace/index.ts";

export interface PinCaOptions {
  readonly hub: string;
  /** SHA-256 of the CA's certificate, hex; colons and case don't matter. */
  readonly fingerprint: string;
  readonly proxy?: Record<string, string> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: RequestTrace | undefined;
}

/** The CA with that fingerprint, as PEM, from the chain that the hub presents. Nothing secret is sent on the way. */
export async function pinCa(options: PinCaOptions): Promise<string> {
  const fingerprint = normalizeFingerprint(options.fingerprint);
  const found = await findPinnedCertificate(await lookAtChain(options), fingerprint);
  if (!found) throw cliErrors.CLI_FINGERPRINT_MISMATCH({ origin: options.hub });
  return found.pem;
}

function normalizeFingerprint(text: string): string {
  const hex = text
    .trim()
    .replace(/^sha-?256:/i, "")
    .replaceAll(":", "")
    .toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) {
    throw usage("The CA fingerprint isn't a SHA-256 in hex.", "Use 64 digits, with or without colons between them.");
  }
  return hex;
}

export function fingerprintOf(pem: string): string {
  return new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();
}

function lookAtChain(options: PinCaOptions): Promise<PeerCertificate> {
  const end = options.trace?.begin({ method: "HEAD", url: new URL("/ca.pem", options.hub) });
  return new Promise((resolve, reject) => {
    const looked = request(options.hub, {
      method: "HEAD",
      path: "/ca.pem",
      // Nothing is trusted yet: this connection only shows its certificates.
      agent: new Agent({ keepAlive: false, rejectUnauthorized: false, proxyEnv: options.proxy ?? {} }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    looked.setTimeout(30_000, () => looked.destroy(new Error("no answer within 30 s")));
    looked.once("error", (thrown) => {
      end?.({ error: thrown });
      reject(hubUnreachable(options.hub, thrown));
    });
    looked.once("response", (response) => {
      const chain = (response.socket as TLSSocket).getPeerCertificate(true);
      response.resume();
      looked.destroy();
      end?.({ status: response.statusCode ?? 0, headers: response.headers });
      resolve(chain);
    });
    looked.end();
  });
}
