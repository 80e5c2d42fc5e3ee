export { createSecretResolver, type SecretResolver } from "./resolve.ts";
