export { KnownSecrets } from "./known-secrets.ts";
export { leavesOf } from "./leaves.ts";
export { MaskingStream } from "./masking-stream.ts";
export { redactJson, redactText } from "./redact-json.ts";
