// The one door to @peculiar/x509. It needs `reflect-metadata` to be loaded first, so imports stay in this order.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(globalThis.crypto);

export { x509 };

/** ECDSA over P-256 with SHA-256: the only kind of key and signature that Fairlead makes. */
export const keyAlgorithm: { readonly name: "ECDSA"; readonly namedCurve: "P-256" } = {
  name: "ECDSA",
  namedCurve: "P-256",
};
export const signingAlgorithm: { readonly name: "ECDSA"; readonly hash: "SHA-256" } = {
  name: "ECDSA",
  hash: "SHA-256",
};
