import { expect, test } from "vitest";
import type { Command } from "./command.ts";
import { readCommandTree } from "./completion/index.ts";
import { createProgram } from "./program.ts";
import { createCli, createTestTerminal } from "./testing/cli.fixture.ts";
import { makeCluster, startContractHub } from "./testing/hub.fixture.ts";

const commands = collect((await grow()).program);
const tree = readCommandTree((await grow()).program);
const visiblePaths = new Set(tree.map(({ path }) => path));
const formerPaths = commands.flatMap((command) => command.formerPaths.map((path) => ({ path, now: command.path })));
const formerOptions = commands.flatMap(({ path, formerOptions }) =>
  formerOptions.map((former) => ({ path, ...former })),
);

test("there are former spellings to look at", () => {
  expect(formerPaths.length).toBeGreaterThan(30);
  expect(formerOptions.length).toBeGreaterThan(10);
});

test.each(formerPaths)("'$path' is '$now', and says so in one line", async ({ path, now }) => {
  await using cli = await createCli();
  // The help of what is a group now is the group's; what was the command is asked for something that it lacks.
  const words = visiblePaths.has(path) ? [] : ["--help"];

  const former = await cli.run([...path.split(" "), ...words]);
  const current = await cli.run([...now.split(" ").slice(1), ...words]);

  const warning = `Warning: 'fairlead ${path}' is now '${now}'.\n`;
  expect(former).toEqual({ ...current, stderr: warning + current.stderr });
  expect(current.stderr).not.toContain("Warning");
});

test("neither help nor completion lists a former spelling", () => {
  for (const { path, now } of formerPaths) {
    expect(visiblePaths).toContain(now.replace("fairlead ", ""));
    const isGroupNow = commands.some((command) => command.path === `fairlead ${path}` && command.children.length > 0);
    if (!isGroupNow) expect(visiblePaths).not.toContain(path);
  }
  const visibleFlags = new Set(
    tree.flatMap(({ path, options }) =>
      options.flatMap(({ flags }) => flags.map((flag) => `fairlead ${path} ${flag}`)),
    ),
  );
  for (const { path, flags } of formerOptions)
    for (const flag of flags.match(/--?[a-z][a-z-]*/g) ?? []) expect(visibleFlags).not.toContain(`${path} ${flag}`);
});

test.each(formerOptions)(
  "of '$path' '$flags' is '$option', and says so in one line",
  async ({ path, flags, option }) => {
    const name = flags.split(/[ ,]+/).find((word) => word.startsWith("-")) ?? "";
    const takesValue = /[<[]/.test(flags);
    const value = takesValue ? [sampleOf(option)] : [];

    const former = await parse(path, [name, ...value]);
    const current = await parse(path, [option, ...value]);

    expect(former.chosen).toBeDefined();
    expect(former.chosen).toEqual(current.chosen);
    const long = flags.split(/[ ,]+/).find((word) => word.startsWith("--")) ?? name;
    expect(former.stderr).toBe(`Warning: '${long}' is now '${option}'.\n`);
    expect(current.stderr).toBe("");

    /** The value that the option of today has then. */
    async function parse(path: string, words: readonly string[]) {
      const { program, stderr } = await grow();
      const command = find(program, path);
      let options: Record<string, unknown> = {};
      command.action(() => {
        options = command.opts();
      });
      const operands = command.registeredArguments.filter(({ required }) => required).map(() => "x");
      const needed = command.options.filter(({ mandatory, long }) => mandatory && long !== option);
      const more = needed.flatMap(({ long }) => [long ?? "", "x"]);
      await program.parseAsync([...path.split(" ").slice(1), ...operands, ...more, ...words], { from: "user" });
      const attribute = command.options.find(({ long }) => long === option)?.attributeName() ?? "";
      return { chosen: options[attribute], stderr: (stderr.read() as Buffer | null)?.toString() ?? "" };
    }
  },
);

test("a former spelling does what it did, with its arguments and options", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east"));

  expect(await cli.run(["--json", "cluster", "show", "east"])).toEqual({
    ...(await cli.run(["cluster", "get", "east", "--json"])),
    stderr: "Warning: 'fairlead cluster show' is now 'fairlead cluster get'.\n",
  });
  const made = await cli.run(["cluster", "token", "east", "--role", "observe", "--json"]);
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("'fairlead cluster token create'") });
  expect((await cli.run(["cluster", "remove"])).stderr).toContain("See 'fairlead cluster delete --help'.");
  expect(await cli.run(["cluster", "remove", "east", "--yes"])).toMatchObject({ code: 0 });
  expect(hub.clusters.has("east")).toBe(false);
});

test("--profile and FAIRLEAD_PROFILE still choose the sign-in, and say what they are now", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const name = new URL(hub.url).host;

  expect(await cli.run(["cluster", "list", "--profile", name, "--json"])).toMatchObject({
    code: 0,
    stderr: "Warning: '--profile' is now '--context'.\n",
  });
  expect(await cli.run(["cluster", "list", "--json"], { variables: { FAIRLEAD_PROFILE: name } })).toMatchObject({
    code: 0,
    stderr: "Warning: 'FAIRLEAD_PROFILE' is now 'FAIRLEAD_CONTEXT'.\n",
  });
  expect(await cli.run(["doctor", "--cluster", "east", "--profile", "nobody"])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^Warning: '--profile' is now '--context'\.\n.*CLI_CONTEXT_UNKNOWN/),
  });
});

test("--context beside a kubeconfig names its context, until --kube-context does", async () => {
  await using cli = await createCli();
  const warning = /^Warning: .*it is now '--kube-context'\.\n/;

  expect((await cli.run(["doctor", "--context", "nowhere"])).stderr).toMatch(warning);
  expect((await cli.run(["cluster", "attach", "east", "--context", "kind"])).stderr).toMatch(warning);
  expect((await cli.run(["gitops", "import-argocd-agent", "--context", "kind"])).stderr).toMatch(warning);
  const both = await cli.run(["cluster", "attach", "east", "--context", "prod", "--kube-context", "kind"]);
  expect(both.stderr).not.toContain("Warning");
  expect(both.stderr).toContain("'prod'");
});

async function grow() {
  const { terminal, stderr } = createTestTerminal("/nowhere");
  return { program: await createProgram(terminal), stderr };
}

function collect(command: Command): Command[] {
  return [command, ...command.children.flatMap(collect)];
}

function find(program: Command, path: string): Command {
  const found = collect(program).find((command) => command.path === path);
  if (!found) throw new Error(`There is no '${path}'.`);
  return found;
}

function sampleOf(option: string): string {
  switch (option) {
    case "--max-parallel":
      return "2";
    case "--cluster-selector":
      return "env=prod";
    default:
      return "x";
  }
}
