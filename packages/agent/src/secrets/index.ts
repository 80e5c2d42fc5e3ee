export { secretErrors } from "./errors.ts";
export { removeOutputs, type WriteOutputsOptions, type WrittenOutputs, writeOutputs } from "./outputs.ts";
export { createSecretResolver, type SecretResolver } from "./resolve.ts";
