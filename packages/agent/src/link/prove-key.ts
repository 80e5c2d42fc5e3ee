// The agent's certificate and a proof of its key as headers, for a hub that can't see them in the TLS connection.
import { createPrivateKey, sign, X509Certificate } from "node:crypto";
import { isFairleadError } from "@fairlead/kernel";
import {
  formatLinkProof,
  linkCertificateHeader,
  linkChallengePath,
  linkProofBytes,
  linkProofHeader,
  nodeHttp,
} from "@fairlead/protocol";
import { describeCertificate } from "@fairlead/protocol/x509";
import { connectHub, explainDialError, type Route, readRefusal, readText } from "../dial/index.ts";
import type { IssuedIdentity } from "../identity/index.ts";
import { linkErrors } from "./errors.ts";

export async function proveKey(options: {
  readonly route: Route;
  readonly identity: IssuedIdentity;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}): Promise<Record<string, string>> {
  const { route, identity } = options;
  const nonce = await fetchNonce(options);
  const host = route.hub.hostname.replace(/^\[|\]$/g, "");
  const { fingerprint: certificateFingerprint, identities } = describeCertificate(identity.certificateChainPem);
  const trustDomain = identities[0]?.trustDomain ?? "";
  const bytes = linkProofBytes({ nonce, host, trustDomain, certificateFingerprint });
  const key = createPrivateKey(identity.keyPem);
  const signature = sign("sha256", bytes, { key, dsaEncoding: "ieee-p1363" });
  return {
    [linkCertificateHeader]: new X509Certificate(identity.certificateChainPem).raw.toString("base64"),
    [linkProofHeader]: formatLinkProof({ nonce, host, signature }),
  };
}

async function fetchNonce(options: {
  readonly route: Route;
  readonly identity: IssuedIdentity;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}): Promise<string> {
  const { route, identity, signal, timeoutMs = 15_000 } = options;
  const { hub } = route;
  const socket = await connectHub({ route, tls: { ca: identity.caPem }, signal, timeoutMs });
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await new Promise((resolve, reject) => {
      const outgoing = nodeHttp.request({
        createConnection: () => socket,
        path: `${hub.pathname.replace(/\/+$/, "")}${linkChallengePath}`,
        headers: { host: hub.host, accept: "application/json" },
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
      outgoing.once("response", (response) => {
        const isGiven = response.statusCode === 200;
        const text = isGiven ? readText(response) : readRefusal(response, hub).then((error) => Promise.reject(error));
        text.then((body) => resolve(readNonce(body, hub))).catch(reject);
      });
      outgoing.on("error", reject);
      outgoing.end();
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw isFairleadError(error) ? error : explainDialError(hub, error);
  } finally {
    socket.destroy();
  }
}

function readNonce(body: string, hub: URL): string {
  try {
    const { nonce } = JSON.parse(body) as { nonce?: unknown };
    if (typeof nonce === "string" && /^[A-Za-z0-9_-]{32,256}$/.test(nonce)) return nonce;
  } catch {
    // Said below.
  }
  throw linkErrors.LINK_CHALLENGE_INVALID({ host: hub.host });
}
