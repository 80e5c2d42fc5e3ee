export { openPki } from "./pki.ts";
export { keepServerCertificate } from "./server-certificate.ts";
export type { Pki, ServerCertificate } from "./types.ts";
