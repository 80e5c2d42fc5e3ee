import { stringify } from "yaml";
import { toFlag, toVariable } from "./names.ts";
import { type HubConfig, settings } from "./settings.ts";

/** The settings in force, as a file that `--config` takes. The hub has no setting that is a secret, only paths to them. */
export function printConfig(config: HubConfig): string {
  const lines = settings.flatMap(({ key, help }) => {
    const value = config[key];
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
    "",
    "Serves the Fairlead hub: the API for people and tools, and the door for agents.",
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
