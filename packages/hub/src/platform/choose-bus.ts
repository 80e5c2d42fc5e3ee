// The way of hints between hubs that the settings ask for.
import type { Clock } from "@fairlead/kernel";
import { type Adapter, createMemoryAdapter, createNatsAdapter, createPostgresAdapter } from "./bus/index.ts";
import type { HubConfig } from "./config/index.ts";
import { type DatabaseOptions, type Store, toDatabaseConnection } from "./store/index.ts";

export function chooseBus(
  config: HubConfig,
  options: {
    /** Undefined for a hub that has its database alone. */
    readonly database: DatabaseOptions | undefined;
    readonly store: Store;
    readonly clock: Clock;
  },
): Adapter {
  const { database, store, clock } = options;
  if (config.busNatsUrl !== undefined) {
    return createNatsAdapter({
      urls: config.busNatsUrl,
      subjectPrefix: config.busNatsSubjectPrefix,
      clock,
      caFile: config.busNatsCaFile,
      certFile: config.busNatsCertFile,
      keyFile: config.busNatsKeyFile,
      credentialsFile: config.busNatsCredentialsFile,
    });
  }
  if (database === undefined) return createMemoryAdapter();
  const own = readListenSource(config);
  const source = own ?? database.source;
  return createPostgresAdapter({
    db: store.db,
    clock,
    // Through a pooler it would be in vain, and leave connections of the server listening for nobody.
    connection: own === undefined && store.isPooled ? undefined : () => toDatabaseConnection({ ...database, source }),
  });
}

function readListenSource({
  busListenUrl: url,
  busListenUrlFile: path,
}: HubConfig): DatabaseOptions["source"] | undefined {
  if (path !== undefined) return { kind: "file", path };
  return url === undefined ? undefined : { kind: "url", url };
}
