// The settings of the hub's own server: it is small, for one hub, and for containers (64 MB of /dev/shm, no huge pages).
import { type PostgresPaths, socketPort } from "./paths.ts";

export interface ServerSettings {
  /** False only for data that is thrown away: nothing is synced to disk. */
  readonly isDurable: boolean;
  /** Enough for two hubs, while one hands over to the other, and a backup beside them, unless told. */
  readonly maxConnections?: number | undefined;
}

/** Arguments of `postgres` take precedence over its configuration files. */
export function toServerArguments(places: PostgresPaths, { isDurable, maxConnections = 60 }: ServerSettings): string[] {
  const settings: Record<string, string> = {
    // The server listens on the socket alone, in a folder that nobody else may enter.
    listen_addresses: "",
    unix_socket_directories: places.socketFolder,
    unix_socket_permissions: "0700",
    port: String(socketPort),
    hba_file: places.accessFile,
    password_encryption: "scram-sha-256",
    max_connections: String(maxConnections),
    superuser_reserved_connections: "3",

    fsync: isDurable ? "on" : "off",
    synchronous_commit: isDurable ? "on" : "off",
    full_page_writes: isDurable ? "on" : "off",
    // The hub starts it again. By itself it may wait for ever: after a crash, when recovery fails as well, as on a disk
    // that takes no syncs.
    restart_after_crash: "off",
    wal_level: "minimal",
    max_wal_senders: "0",
    max_wal_size: "256MB",
    min_wal_size: "32MB",
    wal_buffers: "1MB",
    checkpoint_timeout: "10min",

    shared_buffers: "48MB",
    work_mem: "8MB",
    maintenance_work_mem: "32MB",
    temp_buffers: "1MB",
    temp_file_limit: "1GB",
    effective_cache_size: "256MB",
    huge_pages: "off",
    dynamic_shared_memory_type: "mmap",
    max_worker_processes: "2",
    max_parallel_workers: "0",
    max_parallel_workers_per_gather: "0",
    max_parallel_maintenance_workers: "0",
    max_logical_replication_workers: "0",
    autovacuum_max_workers: "1",
    jit: "off",
    ...(places.major >= 18 ? { io_method: "sync" } : {}),

    // Statements that failed are the client's to tell; they may hold what must not be logged.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
    log_connections: places.major >= 18 ? "" : "off",
    log_disconnections: "off",
    log_timezone: "UTC",
    timezone: "UTC",
    lc_messages: "C",
  };
  return ["-D", places.dataFolder, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** pg_hba.conf: nobody without the password, over the socket only. */
export const accessRules = "local all all scram-sha-256\n";

export const databaseName = "fairlead";
export const userName = "fairlead";
