import { expect, test } from "vitest";
import type { Command } from "./command.ts";
import { commandRows } from "./commands/index.ts";
import { createProgram } from "./program.ts";
import { createTestTerminal } from "./testing/cli.fixture.ts";

const whole = await createProgram(createTestTerminal("/nowhere").terminal);
const words = commandRows.flatMap((row) => row.words ?? []);

test("each word after `fairlead` is in the table of commands, but for those that need all commands", () => {
  const known = whole.children.flatMap((child) => [child.name(), ...child.aliases()]);

  expect(known.filter((word) => !words.includes(word))).toEqual(["completion"]);
  expect(words.filter((word) => !known.includes(word))).toEqual([]);
});

test.each(words)("what `fairlead %s` loads is what all commands have under this word", async (word) => {
  const part = await grow(word, "--help");

  expect(describe(find(part, word))).toEqual(describe(find(whole, word)));
  expect(part.children.length).toBeLessThan(whole.children.length);
});

test.each([
  ["--json whoami", "whoami"],
  ["--config cluster whoami", "whoami"],
  ["--config=cluster --context x whoami", "whoami"],
  ["--profile cluster whoami", "whoami"],
])("options before the command don't hide it: fairlead %s", async (line, word) => {
  const { children } = await grow(...line.split(" "));

  expect(children.map((child) => child.name())).toEqual([word]);
});

test.each(["help cluster", "completion bash", "clster list", "--unknown cluster", "-- cluster"])(
  "all commands are there for: fairlead %s",
  async (line) => {
    const { children } = await grow(...line.split(" ").filter(Boolean));

    expect(children.length).toBe(whole.children.length);
  },
);

test.each(["", "--help", "-h", "help", "--json --help"])(
  "what names all commands loads none of them, and says the same: fairlead %s",
  async (line) => {
    const part = await grow(...line.split(" ").filter(Boolean));

    expect(part.helpInformation()).toBe(whole.helpInformation());
    expect(part.children.every((child) => child.children.length === 0)).toBe(true);
  },
);

test("the version is told without any command", async () => {
  for (const flag of ["-V", "--version"])
    expect((await grow(flag)).children.every(({ options }) => options.length === 0)).toBe(true);
});

async function grow(...args: string[]): Promise<Command> {
  return await createProgram(createTestTerminal("/nowhere").terminal, args);
}

function find(program: Command, word: string): Command {
  const found = program.children.find((child) => [child.name(), ...child.aliases()].includes(word));
  if (!found) throw new Error(`There is no '${word}'.`);
  return found;
}

interface Description {
  readonly help: string;
  readonly children: readonly Description[];
}

function describe(command: Command): Description {
  return { help: command.helpInformation(), children: command.children.map(describe) };
}
