import { stringify } from "yaml";
import type { HubConfig } from "./hub-config.ts";
import { toFlag, toVariable } from "./names.ts";
import { withoutPassword } from "./password.ts";
import { settings } from "./settings.ts";

/** The settings in force, as a file that `--config` takes, without passwords in addresses of databases. */
export function printConfig(config: HubConfig): string {
  const { databaseUrl, busListenUrl } = config;
  const shown: HubConfig = {
    ...config,
    databaseUrl: databaseUrl && withoutPassword(databaseUrl),
    busListenUrl: busListenUrl && withoutPassword(busListenUrl),
  };
  const lines = settings.flatMap(({ key, help }) => {
    const value = shown[key];
    return [`# ${help}`, value === undefined ? `# ${key}:` : stringify({ [key]: value }).trimEnd()];
  });
  return `${lines.join("\n")}\n`;
}

export function printHelp(): string {
  const rows = settings.map(({ key, takes, help, fallback }) => {
    const flag = `--${toFlag(key)}${takes === undefined ? "" : ` ${takes}`}`;
    return `  ${flag.padEnd(28)} ${help}${fallback === undefined || fallback === false || String(fallback) === "" ? "" : ` (${String(fallback)})`}`;
  });
  return [
    "Usage: fairlead-hub [serve] [flags]",
    "       fairlead-hub store backup --to FILE [flags]",
    "       fairlead-hub store restore --from FILE [--revoke-issued] [flags]",
    "       fairlead-hub store copy --from PLACE --to PLACE [flags]",
    "       fairlead-hub admin-token new [--revoke-others] [flags]",
    "",
    "Serves the Fairlead hub: the API for people and tools, and the door for agents.",
    "store backup writes all that the hub of --data-dir keeps into a file, while that hub serves. FILE may be - for the",
    "standard output. store restore puts it into the --data-dir, which must be empty; with --revoke-issued agents'",
    "identities and robots' tokens end with it, as sign-ins and join tokens do. store copy takes a hub's database from one",
    "PLACE to another: a data folder, or the postgres:// address of a database. admin-token new makes another admin",
    "token, for when nobody can sign in any more, and prints it; with --revoke-others all former ones end.",
    "",
    "Flags:",
    ...rows,
    `  ${"-c, --config FILE".padEnd(28)} a YAML file with the same settings, as --print-config writes it`,
    `  ${"--print-config".padEnd(28)} print the settings in force and exit`,
    `  ${"-h, --help".padEnd(28)} this text`,
    `  ${"-V, --version".padEnd(28)} the version`,
    "",
    `Each setting is also an environment variable, such as ${toVariable("dataDir")}.`,
    "Flags go before the environment, the environment before the file.",
    "",
  ].join("\n");
}
