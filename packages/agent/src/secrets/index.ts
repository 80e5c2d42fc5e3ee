export { type CredentialPlace, placeOfUrl } from "./credential-hosts.ts";
export { secretErrors } from "./errors.ts";
export { namedSecrets } from "./named-secrets.ts";
export { removeOutputs, type WriteOutputsOptions, type WrittenOutputs, writeOutputs } from "./outputs.ts";
export { type Reference, readReferences } from "./references.ts";
export { createSecretResolver, type SecretResolver } from "./resolve.ts";
