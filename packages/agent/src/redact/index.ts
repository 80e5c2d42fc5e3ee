export { KnownSecrets } from "./known-secrets.ts";
export { leavesOf } from "./leaves.ts";
export { LogMask } from "./log-mask.ts";
export { Masked, MaskedBytes, type MaskedText } from "./masked.ts";
export { redactJson, redactText } from "./redact-json.ts";
