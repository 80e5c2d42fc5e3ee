/** The members of Node's `DetailedPeerCertificate` that pinning reads. */
export interface PeerCertificate {
  readonly raw: Uint8Array;
  readonly issuerCertificate?: PeerCertificate | undefined;
}

/**
 * Finds the certificate with this SHA-256 fingerprint (hex) in the chain that a server presented. It is how a first
 * connection learns which CA to trust: look once without trusting anything, then connect again with only that CA.
 */
export async function findPinnedCertificate(
  leaf: PeerCertificate,
  fingerprint: string,
): Promise<{ readonly der: Uint8Array; readonly pem: string } | undefined> {
  const seen = new Set<PeerCertificate>();
  for (let at: PeerCertificate | undefined = leaf; at?.raw && !seen.has(at); at = at.issuerCertificate) {
    seen.add(at);
    if ((await sha256Hex(at.raw)) === fingerprint.toLowerCase()) return { der: at.raw, pem: toPem(at.raw) };
  }
  return undefined;
}

async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function toPem(der: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...der));
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}
