// The parts of undici that we use, without its index: that loads fetch, WebSockets, caches and mocks as well, which
// take 5 MiB of memory in every agent, and gives each dispatcher its methods beyond `dispatch`. These files aren't part
// of undici's promised interface; its version is pinned, and a test holds them to be what the index gives.
import { createRequire } from "node:module";
import type * as undici from "undici";

const require = createRequire(import.meta.url);

export type Client = Pick<undici.Client, "dispatch" | "destroy">;
export const Client: new (
  ...args: ConstructorParameters<typeof undici.Client>
) => Client = require("undici/lib/dispatcher/client.js");

export type Pool = Pick<undici.Pool, "dispatch" | "destroy" | "stats">;
export const Pool: new (
  ...args: ConstructorParameters<typeof undici.Pool>
) => Pool = require("undici/lib/dispatcher/pool.js");

export const buildConnector: typeof undici.buildConnector = require("undici/lib/core/connect.js");
