import type { Socket } from "node:net";
import type { Conditions } from "./conditions.ts";
import { startLane } from "./lane.ts";

/** Carries each socket's bytes, end and reset to the other under the cable's conditions. */
export function joinSockets(options: {
  near: Socket;
  far: Socket;
  conditions: Conditions;
  bytes: { up: number; down: number };
}): void {
  const { near, far, conditions, bytes } = options;
  const stopUp = startLane({
    from: near,
    to: far,
    conditions,
    bucket: conditions.buckets.up,
    onDelivered: (size) => {
      bytes.up += size;
    },
  });
  const stopDown = startLane({
    from: far,
    to: near,
    conditions,
    bucket: conditions.buckets.down,
    onDelivered: (size) => {
      bytes.down += size;
    },
  });
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const) {
    let failed = false;
    socket.on("error", () => {
      failed = true;
    });
    socket.once("close", () => {
      // A reset crosses at once: only in a black hole would it be lost, and the other end then hears of it when healed.
      if (failed || !socket.readableEnded) passReset(other, conditions);
      if (!other.destroyed) return;
      stopUp();
      stopDown();
    });
  }
}

function passReset(socket: Socket, conditions: Conditions): void {
  if (!conditions.isBlackhole || conditions.isCut) return void socket.resetAndDestroy();
  const stop = conditions.onChange(() => {
    if (conditions.isBlackhole) return;
    stop();
    socket.resetAndDestroy();
  });
  socket.once("close", stop);
}
