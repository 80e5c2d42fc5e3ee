// Bounds the readers of logs, by requests and on live sockets: so many at once, and a few of one person.
import { createReaders } from "../../platform/server/index.ts";
import { runErrors } from "./errors.ts";

export interface LogReaders {
  /** Gives the way out. Throws COMMAND_LOG_READERS_TOO_MANY. */
  enter(uid: string): () => void;
}

export function createLogReaders(): LogReaders {
  const readers = createReaders({ most: maxReaders, mostOfOne: maxReadersOfUser });
  return {
    enter(uid) {
      const leave = readers.enter(uid);
      if (!leave) throw runErrors.COMMAND_LOG_READERS_TOO_MANY({ limit: maxReadersOfUser, total: maxReaders });
      return leave;
    },
  };
}

const maxReaders = 64;
const maxReadersOfUser = 8;
