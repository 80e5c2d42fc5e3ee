// The places of the hub's own server, under `postgres` in the hub's data folder:
//   18/            the server's data; the major version is its name
//   18.new/        the same while it is being made
//   18.copy/       the same while data of an older version is copied into it
//   17.before-18/  the data that was copied, until the next start
//   socket/        the server's socket, unless it is to lie elsewhere
//   password       of the server's only user
//   access.conf    who may connect
//   server.log     of the running server
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { storeErrors } from "../errors.ts";

export interface PostgresPaths {
  readonly major: number;
  readonly root: string;
  readonly dataFolder: string;
  readonly socketFolder: string;
  readonly passwordFile: string;
  readonly accessFile: string;
  readonly logFile: string;
  readonly linksFolder: string;
}

export interface PathsOptions {
  /** The hub's. */
  readonly dataDir: string;
  readonly major: number;
  /** The folder for the socket when the data folder is on a volume without sockets, or its name is too long. */
  readonly socketDir: string | undefined;
}

export function toPlaces({ dataDir, major, socketDir }: PathsOptions): PostgresPaths {
  const root = postgresFolder(dataDir);
  const socketFolder = socketDir === undefined ? join(root, "socket") : join(resolve(socketDir), nameFor(root));
  const socket = join(socketFolder, `.s.PGSQL.${socketPort}`);
  if (Buffer.byteLength(socket) > longestSocketPath) throw storeErrors.STORE_SOCKET_PATH_TOO_LONG({ path: socket });
  return {
    major,
    root,
    dataFolder: join(root, String(major)),
    socketFolder,
    passwordFile: join(root, "password"),
    accessFile: join(root, "access.conf"),
    logFile: join(root, "server.log"),
    linksFolder: linksFolder(dataDir),
  };
}

export function postgresFolder(dataDir: string): string {
  return join(resolve(dataDir), "postgres");
}

export function linksFolder(dataDir: string): string {
  return join(postgresFolder(dataDir), "libraries");
}

/** Several hubs may keep their sockets in one folder. */
function nameFor(root: string): string {
  return `fairlead-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
}

/** `sun_path` of Linux is 108 bytes with the zero at its end. */
const longestSocketPath = process.platform === "darwin" ? 103 : 107;
/** Part of the socket's name; nothing listens on it. */
export const socketPort = 5_432;
