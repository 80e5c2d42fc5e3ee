export { type CommandKeys, openCommandKeys, type PublishedKey } from "./command-keys.ts";
export type { GivenFiles } from "./given.ts";
export { type KeySeal, type KeySealFiles, readKeySeal } from "./key-seal.ts";
export { openPki } from "./pki.ts";
export type { Rollover } from "./rollover-state.ts";
export { keepServerCertificate } from "./server-certificate.ts";
export type { Pki, ServerCertificate, SharedDatabase } from "./types.ts";
