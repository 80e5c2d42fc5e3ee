/** ECDSA over P-256 with SHA-256: the only kind of key and signature that Fairlead makes. */
export const keyAlgorithm: { readonly name: "ECDSA"; readonly namedCurve: "P-256" } = {
  name: "ECDSA",
  namedCurve: "P-256",
};
export const signingAlgorithm: { readonly name: "ECDSA"; readonly hash: "SHA-256" } = {
  name: "ECDSA",
  hash: "SHA-256",
};
