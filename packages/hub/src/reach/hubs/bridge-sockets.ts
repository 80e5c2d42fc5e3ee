import type { RawData, WebSocket } from "ws";

/** Passes messages and ends each way between two open WebSockets. The one that is slow holds up the other. */
export function bridgeSockets(one: WebSocket, other: WebSocket): void {
  passOn(one, other);
  passOn(other, one);
}

function passOn(from: WebSocket, to: WebSocket): void {
  from.on("message", (message: RawData, isBinary: boolean) => {
    if (to.readyState !== to.OPEN) return;
    to.send(message, { binary: isBinary }, () => {
      if (from.isPaused && to.bufferedAmount < lowWaterBytes) from.resume();
    });
    if (to.bufferedAmount > highWaterBytes) from.pause();
  });
  from.once("close", (code, reason) => {
    if (sendable(code)) to.close(code, reason);
    else to.terminate();
  });
  from.on("error", () => to.terminate());
}

/** RFC 6455 §7.4: 1005, 1006 and 1015 say that no code came, and are never sent. */
function sendable(code: number): boolean {
  return (code >= 1_000 && code <= 1_003) || (code >= 1_007 && code <= 1_014) || (code >= 3_000 && code <= 4_999);
}

const highWaterBytes = 262_144;
const lowWaterBytes = 65_536;
