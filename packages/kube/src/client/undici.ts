// The parts of undici that we use, without its index: that loads fetch, WebSockets, caches and mocks as well, which
// take 5 MiB of memory in every agent, and gives each dispatcher its methods beyond `dispatch`. These files aren't part
// of undici's promised interface; its version is pinned, and a test holds them to be what the index gives. They are
// imported and not required, so that they are in the command when that is a single file.
import type * as undici from "undici";
// @ts-expect-error: undici has types of its index alone.
import connect from "undici/lib/core/connect.js";
// @ts-expect-error: the same.
import client from "undici/lib/dispatcher/client.js";
// @ts-expect-error: the same.
import pool from "undici/lib/dispatcher/pool.js";

export type Client = Pick<undici.Client, "dispatch" | "destroy">;
export const Client: new (...args: ConstructorParameters<typeof undici.Client>) => Client = client;

export type Pool = Pick<undici.Pool, "dispatch" | "destroy" | "stats">;
export const Pool: new (...args: ConstructorParameters<typeof undici.Pool>) => Pool = pool;

export const buildConnector: typeof undici.buildConnector = connect;
