export { secretErrors } from "./errors.ts";
export { createSecretResolver, type SecretResolver } from "./resolve.ts";
