import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Command } from "./command.ts";
import { readCommandTree } from "./completion/command-tree.ts";
import { exitCodes } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import { formatReference, formatSummaries } from "./reference/index.ts";
import { createTestTerminal } from "./testing/cli.fixture.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const docs = readFileSync(`${root}docs/cli.md`, "utf8");
const program = await createProgram(createTestTerminal("/nowhere").terminal);
const tree = readCommandTree(program);
const leaves = tree.filter(({ path, commands }) => path !== "" && commands.length === 0);

test("the guide has a section with an example for every command, and for no other", () => {
  const sections = docs.split(/^### /m).slice(1);
  const documented = sections.map((section) => /^`fairlead ([a-z -]+[a-z])/.exec(section)?.[1]);

  expect(leaves.length).toBeGreaterThan(10);
  expect(documented).toEqual(leaves.map(({ path }) => path));
  for (const section of sections) expect(section, "a worked example").toContain("```console\n$ ");
});

test("the reference is that of the commands; `npm run docs:cli` makes it anew", () => {
  expect(readFileSync(`${root}docs/reference/cli.md`, "utf8")).toBe(formatReference(program));
});

test("the help that names all commands has what each says of itself; `npm run docs:cli` makes it anew", () => {
  const summaries = readFileSync(`${root}packages/cli/src/gen/command-summaries.ts`, "utf8");

  expect(summaries).toBe(formatSummaries(program));
});

test("every command has an example, and help that stands alone", () => {
  for (const { path, description, options, commands } of tree) {
    const command = find(path.split(" ").filter(Boolean));
    if (commands.length === 0) expect(command.shownExamples, path).not.toEqual([]);
    for (const line of command.shownExamples) expect(line).toContain(`fairlead ${path}`);
    for (const text of [description, ...options.map((option) => option.description)])
      expect(text, path).toMatch(/^[A-Z].*[^.]$/s);
    for (const argument of command.registeredArguments) expect(argument.description, path).toMatch(/^[A-Z]/);
  }
});

test("examples, documents and messages name only commands and flags that there are", () => {
  const examples = tree.flatMap(({ path }) => find(path.split(" ").filter(Boolean)).shownExamples);
  const documents = [
    "README.md",
    "CONTRIBUTING.md",
    ...filesOf("docs", /\.md$/),
    ...filesOf("charts", /\.(md|txt|yaml)$/),
  ]
    .filter((file) => file !== "docs/reference/cli.md")
    .flatMap((file) => linesOfDocument(readFileSync(root + file, "utf8")).map((line) => ({ file, line })));
  const folders = ["kernel", "protocol", "contract", "kube", "doctor", "hub", "agent", "cli"];
  const sources = [...folders.map((name) => `packages/${name}/src`), "demo", "bench", "chaos", "deploy"]
    .flatMap((folder) => filesOf(folder, /(?<!\.test|\.fixture)\.ts$/))
    .flatMap((file) => linesOfSource(readFileSync(root + file, "utf8")).map((line) => ({ file, line })));

  expect(documents.length).toBeGreaterThan(200);
  expect(sources.length).toBeGreaterThan(50);
  const all = [...examples.map((line) => ({ file: "an example", line })), ...documents, ...sources];
  const wrong = all.flatMap(({ file, line }) => {
    const fault = faultOf(line.replace(/^.* \| (?=fairlead )/, ""));
    return fault === undefined ? [] : [`${file}: ${line}: ${fault}`];
  });
  expect(wrong).toEqual([]);
});

test("a command line in a hint lacks nothing that its command requires", () => {
  const lines = ["kernel", "contract", "doctor", "hub", "agent", "cli"]
    .flatMap((name) => filesOf(`packages/${name}/src`, /(?<!\.test|\.fixture)\.ts$/))
    .flatMap((file) => linesOfSource(readFileSync(root + file, "utf8")).map((line) => ({ file, line })));

  expect(lines.length).toBeGreaterThan(100);
  expect(lines.flatMap(({ file, line }) => lackOf(line).map((lack) => `${file}: ${line}: ${lack}`))).toEqual([]);
  expect(lackOf("fairlead cluster get")).toEqual([]);
  expect(lackOf("fairlead gateway prefer HOST:PORT --cluster east")).toEqual(["it lacks <gateway>"]);
  expect(lackOf("fairlead gateway prefer HOST:PORT GATEWAY")).toEqual(["it lacks --cluster <cluster>"]);
});

test("a hint that registers a cluster says as well what is for one that is registered", () => {
  const tables = ["hub", "agent", "cli"].flatMap((name) => filesOf(`packages/${name}/src`, /errors\.ts$/));
  const hints = tables.flatMap((file) =>
    [...readFileSync(root + file, "utf8").matchAll(/hint: (?:"|`)(.*)(?:"|`),/g)].map(([, hint = ""]) => hint),
  );
  const registering = hints.filter((hint) => hint.includes("fairlead cluster add"));

  expect(registering.length).toBeGreaterThan(2);
  // The first is of a cluster that isn't known, the second only says where a token comes from.
  const others = registering.filter((hint) => !/^Add it: |Copy the whole token/.test(hint));
  expect(others.filter((hint) => !hint.includes("fairlead cluster token create"))).toEqual([]);
});

test("a command or a flag that isn't there is found", () => {
  expect(faultOf("fairlead run list --state failed")).toBeUndefined();
  expect(faultOf("fairlead runs")).toBe("there is no 'fairlead runs'");
  expect(faultOf("fairlead cluster show east")).toBe("there is no 'fairlead cluster show'");
  expect(faultOf("fairlead cluster get east --jsn")).toBe("'fairlead cluster get' has no --jsn");
  expect(faultOf("fairlead run manifests -w")).toBe("'fairlead run manifests' has no -w");
  expect(linesOfDocument("See `fairlead runs`.\n```console\n$ fairlead a \\\n    --b | jq\n```\n")).toEqual([
    "fairlead a --b | jq",
    "fairlead runs",
  ]);
});

test("the guide lists every exit code with its meaning, and no other", () => {
  const table = /## Exit codes\n\n\|.*\n\|.*\n((?:\|.*\n)+)/.exec(docs)?.[1] ?? "";
  const expected = Object.values(exitCodes).map(({ value, meaning }) => `| ${value} | ${meaning} |\n`);

  expect(table).toBe(expected.join(""));
});

function find(words: readonly string[]): Command {
  const step = (command: Command, word: string): Command => {
    const next = command.children.find((child) => child.name() === word);
    if (!next) throw new Error(`There is no '${word}'.`);
    return next;
  };
  return words.reduce(step, program);
}

/** Command lines in blocks of code, and in code within sentences. */
function linesOfDocument(text: string): string[] {
  const whole = text.replaceAll(/ *\\\n */g, " ");
  const blocks = [...whole.matchAll(/```[a-z]*\n(.*?)```/gs)].flatMap(([, block = ""]) => block.split("\n"));
  const typed = blocks.flatMap((line) => /^\s*(?:\$ )?(?:.* \| )?(fairlead [a-z-].*)$/.exec(line)?.[1] ?? []);
  const spans = [...whole.replaceAll(/```.*?```/gs, "").matchAll(/`(fairlead [a-z-][^`\n]*)`/g)].map(
    ([, span = ""]) => span,
  );
  return [...typed, ...spans].filter((line) => !notTyped.some((text) => line.startsWith(text)));
}

/** The first words of texts that begin as a command line does, and aren't one; kubectl alone types `credential`. */
const notTyped = ["fairlead agent link proof", "fairlead command ${", "fairlead credential"];

/** Command lines in quotes: hints of errors, remarks and comments. */
function linesOfSource(text: string): string[] {
  return [...text.replaceAll(/hashtext\(.*?\)/g, "").matchAll(/\\?[`'](fairlead [a-z-][^`'\n]*?)\\?[`']/g)]
    .map(([, line = ""]) => line)
    .filter((line) => !notTyped.some((text) => line.startsWith(text)));
}

/** What of a command line there isn't; undefined where all of it is. */
function faultOf(line: string): string | undefined {
  const words = line
    .replace(/ (?:[|#&>;]|2>).*$/, "")
    .split(/\s+/)
    .slice(1);
  let command = program;
  for (const word of words) {
    if (!/^[a-z][a-z-]*$/.test(word) || !command.children.some(isVisible)) break;
    const next = command.children.filter(isVisible).find((child) => [child.name(), ...child.aliases()].includes(word));
    if (!next) return `there is no '${command.path} ${word}'`;
    command = next;
  }
  if (command.children.some(isVisible)) return undefined;
  const visible = [...command.createHelp().visibleOptions(command), ...program.options.filter(({ hidden }) => !hidden)];
  const known = new Set(visible.flatMap(({ short, long }) => [short, long]));
  const typed = words.flatMap((word) => /^(--?[a-z][a-z-]*)(?:=|$)/.exec(word)?.[1] ?? []);
  const unknown = typed.find((flag) => !known.has(flag));
  return unknown === undefined ? undefined : `'${command.path}' has no ${unknown}`;
}

/** What a command line with operands lacks; one without them only names its command, or a flag of it. */
function lackOf(line: string): string[] {
  const words = line.split(/\s+/).slice(1);
  let command = program;
  for (;;) {
    const next = command.children.find((child) => child.name() === words[0]);
    if (!next) break;
    command = next;
    words.shift();
  }
  if (words.length === 0 || command.children.some(isVisible)) return [];
  const operands: string[] = [];
  const flags: string[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [flag = ""] = word.split("=", 1);
    const option = command.options.find(({ short, long }) => [short, long].includes(flag));
    if (word.startsWith("-")) flags.push(flag);
    else operands.push(word);
    if (option?.required && !word.includes("=")) words.shift();
  }
  if (operands.length === 0) return [];
  const missing = command.registeredArguments.slice(operands.length).filter(({ required }) => required);
  const mandatory = command.options.filter(({ mandatory, short, long }) => {
    return mandatory && ![short, long].some((flag) => flag !== undefined && flags.includes(flag));
  });
  return [
    ...missing.map((argument) => `it lacks <${argument.name()}>`),
    ...mandatory.map((option) => `it lacks ${option.long} ${/<.*>/.exec(option.flags)?.[0] ?? ""}`),
  ];
}

function isVisible(command: Command): boolean {
  return command.parent?.createHelp().visibleCommands(command.parent).includes(command) === true;
}

function filesOf(folder: string, name: RegExp): string[] {
  return readdirSync(root + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name) && !entry.parentPath.includes("node_modules"))
    .map((entry) => `${entry.parentPath}/${entry.name}`.replace(root, ""));
}
