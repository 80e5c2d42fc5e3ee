// RESUME: the first frame of a connection that goes on with a link, and the answer to it (docs/PROTOCOL.md §10).
import { wireErrors } from "./errors.ts";
import { frameTypes, headerBytes } from "./frame-types.ts";
import { isCount, parseObject } from "./json.ts";

export interface Resume {
  readonly session: string;
  readonly lane: number;
  /** The number of the last frame that the sender got on this lane. */
  readonly received: number;
  /** The sender would begin a new link on this connection where the one that it asks for is unknown. */
  readonly orBegin?: true | undefined;
}

export type ResumeAnswer = Pick<Resume, "received"> | { readonly begin: true };

/** The whole frame. It goes before all that a session sends on a connection. */
export function formatResume(resume: Resume | ResumeAnswer): Buffer {
  const json = JSON.stringify(resume);
  const frame = Buffer.alloc(headerBytes + Buffer.byteLength(json));
  frame[0] = frameTypes.resume;
  frame.write(json, headerBytes);
  return frame;
}

/** The JSON of a RESUME; undefined for any other message. */
export function readResume(message: unknown): string | undefined {
  if (!Buffer.isBuffer(message) || message.byteLength < headerBytes) return undefined;
  return message[0] === frameTypes.resume ? message.toString("utf8", headerBytes) : undefined;
}

export function parseResume(json: string): Resume {
  const { session, lane, received, orBegin } = parseObject(json) ?? {};
  if (!isSessionId(session) || !isCount(lane) || !isNumber(received))
    throw wireErrors.LINK_FRAME_INVALID({ text: "RESUME" });
  return { session, lane, received, ...(orBegin === true && lane === 0 && { orBegin }) };
}

export function parseResumeAnswer(json: string): ResumeAnswer {
  const { received, begin } = parseObject(json) ?? {};
  if (begin === true) return { begin };
  if (!isNumber(received)) throw wireErrors.LINK_FRAME_INVALID({ text: "RESUME" });
  return { received };
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isSessionId(value: unknown): value is string {
  return typeof value === "string" && sessionPattern.test(value);
}

const sessionPattern = /^[A-Za-z0-9_-]{16,64}$/;
