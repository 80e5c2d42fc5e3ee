import type { Socket } from "node:net";

/**
 * Says the last word and closes. The client may go on sending and never close its half; destroying at once could take
 * the answer from an honest one.
 */
export function endSoon(socket: Socket, answer: string): void {
  socket.end(answer);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

const lingerMs = 1_000;
