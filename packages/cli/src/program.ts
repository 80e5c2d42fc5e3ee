import { Option } from "commander";
import { Command } from "./command.ts";
import {
  addAccessCommands,
  addAddonsCommands,
  addArgoCommands,
  addAuditCommands,
  addCaCommands,
  addClusterCommands,
  addCompletion,
  addCredential,
  addDeclarations,
  addDoctor,
  addFitnessCommands,
  addGitopsCommands,
  addHubs,
  addKubeconfig,
  addLogin,
  addLogout,
  addObjectCommands,
  addProfileCommands,
  addRunCommands,
  addScheduleCommands,
  addStackCommands,
  addTemplateCommands,
  addVersion,
  addWhoami,
} from "./commands/index.ts";
import { createOpenContext } from "./context.ts";
import { addFormatOptions } from "./format.ts";
import { addFormerPaths } from "./former-paths.ts";
import type { Terminal } from "./terminal.ts";
import { clientVersion } from "./version.ts";

/** The whole command tree. Nothing is printed or exited here: errors are thrown, help goes to the terminal given. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command(terminal.environment.program.typedName)
    .description("Manage Kubernetes clusters through a Fairlead hub")
    .version(clientVersion, "-V, --version", "Print the version of this command")
    .addOption(
      new Option("--json", "Print the answer as JSON on standard output, and errors as JSON on standard error"),
    )
    .addOption(
      new Option("--config <file>", "Configuration file (default: FAIRLEAD_CONFIG, or ~/.config/fairlead/config.json)"),
    )
    .addOption(new Option("--context <name>", "Sign-in to use (default: FAIRLEAD_CONTEXT, or the last sign-in)"))
    .addOption(new Option("--profile <name>", "Former name of --context").hideHelp())
    .helpOption("-h, --help", "Print help")
    .helpCommand("help [command]", "Print help for a command")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: () => undefined,
    })
    .exitOverride();

  const open = createOpenContext(terminal);
  addLogin(program, open);
  addLogout(program, open);
  addWhoami(program, open);
  addClusterCommands(program, open);
  addObjectCommands(program, open);
  addFitnessCommands(program, open);
  addProfileCommands(program, open);
  addRunCommands(program, open);
  addScheduleCommands(program, open);
  addTemplateCommands(program, open);
  addStackCommands(program, open);
  addArgoCommands(program, open);
  addGitopsCommands(program, open);
  addAddonsCommands(program, open);
  addKubeconfig(program, open);
  addCredential(program, open);
  addAccessCommands(program, open);
  addAuditCommands(program, open);
  addCaCommands(program, open);
  addHubs(program, open);
  addDeclarations(program, open);
  addDoctor(program, open);
  addVersion(program, open);
  addCompletion(program, open);
  addShortNames(program);
  addFormatOptions(program);
  addFormerPaths(program);
  return program;
}

/** As a shell names them. */
function addShortNames(command: Command): void {
  for (const child of command.children) {
    if (child.name() === "list") child.alias("ls");
    if (child.name() === "delete") child.alias("rm");
    addShortNames(child);
  }
}
