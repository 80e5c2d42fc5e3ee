import type { Command } from "./command.ts";

/** Adds a hidden command for every spelling that a command had before. It warns, and hands all its words on. */
export function addFormerPaths(program: Command): void {
  // The walk comes first: a hidden command must not be walked itself.
  for (const command of collect(program)) for (const path of command.formerPaths) addFormerPath(program, command, path);
}

/** The command that took the place of a former one, or the command itself. */
export function currentCommand(command: Command): Command {
  return successors.get(command) ?? command;
}

const successors = new WeakMap<Command, Command>();

function collect(command: Command): Command[] {
  return [command, ...command.children.flatMap(collect)];
}

function addFormerPath(program: Command, successor: Command, path: string): void {
  const words = path.split(" ");
  const name = words.pop() ?? "";
  const parent = words.reduce(enterGroup, program);
  const taken = parent.children.find((child) => child.name() === name);
  const former = parent.createCommand(taken ? `${name}-before` : name).copyInheritedSettings(parent);
  former
    .description(`Now '${successor.path}'.`)
    .helpOption(false)
    .allowUnknownOption()
    .argument("[words...]")
    .action(async () => {
      former.warn(`'${program.name()} ${path}' is now '${successor.path}'.`);
      await successor.parseAsync(former.args, { from: "user" });
    });
  successors.set(former, successor);
  if (taken) successors.set(taken, successor);
  // What was a command is a group now: words that name none of its commands are the former command's.
  if (taken) taken.addCommand(former, { hidden: true, isDefault: true });
  else parent.addCommand(former, { hidden: !formerGroups.has(parent) });
}

function enterGroup(parent: Command, name: string): Command {
  const known = parent.children.find((child) => child.name() === name);
  if (known) return known;
  const group = parent.command(name, { hidden: true }).description("Former names of commands.");
  formerGroups.add(group);
  return group;
}

const formerGroups = new WeakSet<Command>();
