import type { FairleadError } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { ShareReading } from "../telemetry/index.ts";
import type { DatabaseOptions } from "./database/options.ts";
import type { ServerState } from "./postgres/index.ts";
import type { Tables } from "./tables.ts";

export interface Store extends AsyncDisposable {
  /** Serves the hub's own work. */
  readonly db: Kysely<Tables>;
  /** Serves people's questions: it has connections of its own, and its statements end after half a minute. */
  readonly queries: Kysely<Tables>;
  /** A round trip to the database; throws when it doesn't answer. Fine with one that was handed over. */
  check(): Promise<void>;
  /** Counts the statements that the database has answered so far, whoever asked. */
  readonly answered: number;
  /** Its connections and how long statements take, by what they are for. */
  shares(): readonly ShareReading[];
  /** The number of the newest migration that this hub knows. */
  readonly schemaVersion: number;
  /** Undefined when no other hub can follow on the same folder. */
  readonly succession?: Succession | undefined;
  /** Resolves when another hub has taken the database, so that this one must end. */
  readonly lost?: Promise<FairleadError> | undefined;
  /** A pooler is between: what isn't over with its transaction, as LISTEN, doesn't work. */
  readonly isPooled?: boolean | undefined;
}

export interface StoreOptions {
  /** Made when it isn't there; undefined keeps everything in a folder that is thrown away. */
  readonly dataDir?: string | undefined;
  /** Folders with PostgreSQL's programs; else PATH and the npm package are looked through. */
  readonly binDirs?: readonly string[] | undefined;
  /** The value of PATH. The means to give up root's rights are looked for there, too. */
  readonly path?: string | undefined;
  /** The folder for the database's socket, instead of the data folder. */
  readonly socketDir?: string | undefined;
  /** A database of somebody else, instead of one in the folder. */
  readonly database?: DatabaseOptions | undefined;
  /** The wait for another hub to let go of the folder or the database, or for the database to be there. */
  readonly waitMs?: number | undefined;
  /** Called once when there is something to wait for. */
  readonly onWait?: ((reason: FairleadError) => void) | undefined;
  /** Called before and after data is copied to another major version of PostgreSQL. */
  readonly onMajorChange?: ((change: MajorVersions & { readonly isDone: boolean }) => void) | undefined;
  /** Called when the hub's own server ended or runs again. */
  readonly onServerChange?: ((state: ServerState) => void) | undefined;
}

interface MajorVersions {
  readonly from: string;
  readonly to: string;
}

/** The way to hand the store over to a hub that follows on the same folder. */
export interface Succession {
  /** Says that this hub serves, to the one before it. */
  announce(): Promise<void>;
  /** True when another hub waits for the folder. */
  isAwaited(): Promise<boolean>;
  /** Gives the folder to the other hub, and the running server with it: from then on every query fails with STORE_HANDED_OVER. */
  letGo(): Promise<void>;
  /** True when the other hub serves within the time. */
  untilServed(timeoutMs: number): Promise<boolean>;
}
