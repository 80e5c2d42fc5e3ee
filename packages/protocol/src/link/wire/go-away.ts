import { wireErrors } from "./errors.ts";
import { isCount, parseObject } from "./json.ts";

export interface GoAway {
  readonly reason: string;
  /** The time that streams in flight may go on. */
  readonly drainMs: number;
  /** The time after which the agent may come back. Undefined means at once, to another hub. */
  readonly reconnectAfterMs?: number | undefined;
}

export function formatGoAway(message: GoAway): string {
  return JSON.stringify(message);
}

export function parseGoAway(json: string): GoAway {
  const value = parseObject(json);
  if (!value) throw wireErrors.LINK_FRAME_INVALID({ text: "GOAWAY" });
  const { reason, drainMs, reconnectAfterMs } = value;
  return {
    reason: typeof reason === "string" ? reason.slice(0, 256) : "",
    drainMs: isCount(drainMs) ? drainMs : 0,
    reconnectAfterMs: isCount(reconnectAfterMs) ? reconnectAfterMs : undefined,
  };
}
