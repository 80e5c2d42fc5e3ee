import { formatHelp, printSettings } from "@fairlead/kernel/settings";
import { stringify } from "yaml";
import { type HubConfig, hubProgram } from "./settings.ts";

/** The settings in effect, as a file that `--config` takes, without passwords in addresses of databases. */
export function printConfig(config: HubConfig): string {
  const lines = printSettings(hubProgram, config).flatMap(({ name, help, value }) => [
    `# ${help}`,
    value === undefined ? `# ${name}:` : stringify({ [name]: value }).trimEnd(),
  ]);
  return `${lines.join("\n")}\n`;
}

export function printHelp(): string {
  return `${usage}\n${formatHelp(hubProgram)}`;
}

const usage = `Serve the Fairlead hub: the API for people and tools, and the endpoint for agents.

Usage:
  fairlead-hub [serve] [flags]
  fairlead-hub store backup --to FILE [flags]
  fairlead-hub store restore --from FILE [--revoke-issued] [flags]
  fairlead-hub store copy --from PLACE --to PLACE [flags]
  fairlead-hub admin-token new [--revoke-others] [flags]

Commands:
  serve
      Serve until a signal asks the hub to stop; this is the default
  store backup
      Write all data of the hub of --data-dir to FILE while that hub serves; - for standard output
  store restore
      Restore FILE into --data-dir, which must be empty. Sign-ins and join tokens end, and with
      the flag --revoke-issued also agents' identities and robots' tokens
  store copy
      Copy a hub's database. PLACE is a data folder or a postgres:// URL
  admin-token new
      Create and print an admin token, for when nobody can sign in any more; with --revoke-others
      all other admin tokens end
`;
