export { type RespCommandLimits, type RespCommandPart, RespCommandReader } from "./command-reader.ts";
export * from "./replies.ts";
export { ReplyFrames } from "./reply-frames.ts";
