// Where the hub keeps its data, and how several hubs share it.
import { resolve } from "node:path";
import {
  address,
  boolean,
  duration,
  file,
  folder,
  folders,
  group,
  list,
  type SettingTable,
  userFolder,
  whole,
} from "@fairlead/kernel/settings";
import { databaseUrl, databaseUrlSecret, subject } from "./kinds.ts";

export interface DataConfig {
  readonly dataDir: string;
  readonly inMemory: boolean;
  readonly declarations: string | undefined;
  readonly waitForStoreMs: number;
  readonly postgresBinDir: readonly string[] | undefined;
  readonly postgresSocketDir: string | undefined;
}

export const dataSettings: SettingTable<DataConfig> = group<DataConfig>("Data", {
  dataDir: {
    kind: folder(),
    fallback: () => resolve(userFolder(), ".local", "share", "fairlead-hub"),
    defaultText: "`.local/share/fairlead-hub` in the home folder",
    help: "Folder for the database and the hub's certificate authority",
    details: "One hub at a time can use it.",
  },
  inMemory: {
    kind: boolean(),
    fallback: false,
    help: "Keep the data in a temporary folder, and remove the folder when the hub ends",
    details: "A restart forgets everything.",
  },
  declarations: {
    kind: folder(),
    help: "Folder with YAML files that declare clusters, roles, bindings, robots and limits",
    details: "The hub reads the files again every few seconds ([declarations.md](declarations.md)).",
  },
  // For a restart without a gap: the next hub starts with it, and then the old one is asked to stop.
  waitForStoreMs: {
    name: "waitForStore",
    kind: duration({ from: "0s", to: "1d", example: "10m" }),
    fallback: 0,
    former: { name: "waitForStoreMs", factor: 1 },
    help: "Time that a starting hub waits for the data folder or the database to be free",
    details:
      "Another hub hands its data over when it is stopped ([networks](networks.md)). The hub also waits this long for a database of yours that doesn't answer.",
  },
  // The first is preferred; the others read data of their versions.
  postgresBinDir: {
    kind: folders(),
    defaultText: "`PATH`, then the npm package",
    help: "Folders with PostgreSQL's programs (version 17 or 18), the preferred one first",
    details: "The other folders are for data of their versions ([the hub's database](#the-hubs-database)).",
  },
  postgresSocketDir: {
    kind: folder(),
    defaultText: "in the data folder",
    help: "Folder for the socket of the hub's own PostgreSQL",
    details: "Set it when the data folder has a long path, or is on a volume that can't hold sockets.",
  },
});

export interface DatabaseConfig {
  readonly databaseUrl: string | undefined;
  readonly databaseUrlFile: string | undefined;
  readonly databaseCaFile: string | undefined;
  readonly databaseConnections: number;
}

export const databaseSettings: SettingTable<DatabaseConfig> = group<DatabaseConfig>("External database", {
  databaseUrl: {
    kind: databaseUrl(),
    secret: databaseUrlSecret,
    help: "Use this PostgreSQL (15 to 18) instead of one that the hub runs, for example postgres://hub@db.example.com/fairlead",
    details: "See [a database of yours](#a-database-of-yours). A flag with a password in the URL is rejected.",
  },
  databaseUrlFile: {
    kind: file(),
    help: "File with the database's URL",
    details: "The hub reads the password in it again for each connection.",
  },
  databaseCaFile: {
    kind: file(),
    defaultText: "the usual ones",
    help: "Certificates (PEM) to trust for the database, instead of the usual ones",
    details: "The hub reads the file again for each connection.",
  },
  // Less than half of them are for questions of people, so that they can't take the last ones from the hub's own work.
  databaseConnections: {
    kind: whole({ from: 10, to: 1_000 }),
    fallback: 16,
    help: "Maximum number of connections to the database",
    details:
      "One connection holds the hub's lock, one is for probes, and of the rest three in seven are for people's requests.",
  },
});

export interface BusConfig {
  readonly hubAddress: string | undefined;
  readonly busListenUrl: string | undefined;
  readonly busListenUrlFile: string | undefined;
  readonly busNatsUrl: readonly string[] | undefined;
  readonly busNatsCaFile: string | undefined;
  readonly busNatsCertFile: string | undefined;
  readonly busNatsKeyFile: string | undefined;
  readonly busNatsCredentialsFile: string | undefined;
  readonly busNatsSubjectPrefix: string;
}

export const busSettings: SettingTable<BusConfig> = group<BusConfig>("Several hubs", {
  hubAddress: {
    kind: address({ toListen: true, example: "10.0.0.1:8444" }),
    help: "Address at which the other hubs of the same database reach this hub's agent listener",
    details:
      "Makes this hub one of [several](scale.md). Port 0 stands for the port of `--agent-listen`. Requires a database of yours and `--key-encryption-key-file`.",
  },
  // LISTEN needs the server itself.
  busListenUrl: {
    kind: databaseUrl(),
    secret: databaseUrlSecret,
    defaultText: "the database's URL",
    help: "URL of the database for messages between hubs, where the database's URL leads to a pooler such as PgBouncer",
    details: "See [scale.md](scale.md#bus). A flag with a password in the URL is rejected.",
  },
  busListenUrlFile: {
    kind: file(),
    help: "File with that URL",
    details: "The hub reads it again for each connection.",
  },
  busNatsUrl: {
    kind: list({ expected: "a list of NATS servers, for example tls://nats.example.com:4222" }),
    help: "Servers of one NATS cluster for messages between hubs, for example tls://nats.example.com:4222",
    details:
      "Replaces the database as [bus](scale.md#bus). `nats://HOST:PORT` connects without TLS. User and password belong in the credentials file.",
  },
  busNatsCaFile: {
    kind: file(),
    defaultText: "the usual ones",
    help: "Certificates (PEM) to trust for NATS, instead of the usual ones",
    details: "The hub reads this file, and the other files for NATS, again for each connection.",
  },
  busNatsCertFile: { kind: file(), help: "Client certificate (PEM) of the hub for NATS" },
  busNatsKeyFile: { kind: file(), help: "Private key (PEM) of that certificate" },
  busNatsCredentialsFile: {
    kind: file(),
    help: "Credentials for NATS: a .creds file, or one line USER:PASSWORD",
    details: "Its mode must be 0600.",
  },
  busNatsSubjectPrefix: {
    kind: subject(),
    fallback: "fairlead",
    help: "Prefix of the subjects at NATS",
    details: "Each set of hubs on one NATS needs its own.",
  },
});
