import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type Cli, createCli } from "../testing/cli.fixture.ts";
import { makeCluster, startContractHub } from "../testing/hub.fixture.ts";

const run = promisify(execFile);

/** Asks a real bash for its offers after these words. `fairlead` itself is a script that knows two clusters. */
async function complete(cli: Cli, words: readonly string[]): Promise<string[]> {
  const bin = join(cli.home, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "fairlead"), "#!/bin/sh\n[ $1 = __clusters ] && printf 'east\\nwest\\n'\n", {
    mode: 0o755,
  });
  const { stdout: script } = await cli.run(["completion", "bash"]);
  const asked = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fairlead; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const environment = { PATH: `${bin}:/usr/bin:/bin` };
  const { stdout } = await run("bash", ["-c", asked, "bash", "fairlead", ...words], { env: environment });
  return stdout.split("\n").filter(Boolean).sort();
}

test.each([
  [["c"], ["ca", "change", "cluster", "completion"]],
  [["get", "pods", "--cluster", "w"], ["west"]],
  [["get", "pods", ""], []],
  [
    ["get", "pods", "-o", "j"],
    ["json", "jsonpath="],
  ],
  [["top", "c"], ["cluster"]],
  [["cluster", "confirm", "e"], ["east"]],
  [["cluster", "re"], ["revoke"]],
  [
    ["run", "l"],
    ["list", "logs"],
  ],
  [
    ["cluster", "get", ""],
    ["east", "west"],
  ],
  [["--json", "cluster", "get", "e"], ["east"]],
  [["kubeconfig", "east", "w"], ["west"]],
  [["cluster", "add", ""], []],
  [["cluster", "add", "east", "--ro"], ["--role"]],
  [["cluster", "add", "east", "--role", "ob"], ["observe"]],
  [["cluster", "add", "east", "--ttl", ""], []],
  [["cluster", "list", "--js"], ["--json"]],
  [["access", "robot", "token", "re"], ["revoke"]],
  [["access", "who-can", "get", "pods", "--cluster", "w"], ["west"]],
  [["access", "robot", "delete", ""], []],
  [
    ["cluster", "list", "-o", ""],
    ["json", "table"],
  ],
  [
    ["completion", ""],
    ["bash", "fish", "zsh"],
  ],
])("after %j bash offers %j", async (words, offered) => {
  await using cli = await createCli();

  expect(await complete(cli, words)).toEqual(offered);
});

test.each(["bash", "zsh", "fish"])(
  "the script for %s names every command and option, and no hidden one",
  async (shell) => {
    await using cli = await createCli();

    const { stdout } = await cli.run(["completion", shell]);

    const words = [
      "login",
      "kubeconfig",
      "whoami",
      "version",
      "revoke",
      "token",
      "merge",
      "ca-fingerprint",
      "token-out",
    ];
    for (const word of words) expect(stdout).toContain(word);
    expect(stdout).not.toMatch(/-a '__clusters'|'__clusters:/);
  },
);

test("cluster names come from the hub, and nothing comes when it can't be asked", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  expect((await cli.run(["__clusters"])).stdout).toBe("");
  await cli.signIn(hub);
  for (const name of ["east", "west"]) hub.clusters.set(name, makeCluster(name));

  expect((await cli.run(["__clusters"])).stdout).toBe("east\nwest\n");
  for (const name of ["$(touch stolen)", "`reboot`", "a\nb;c", "--x"]) hub.clusters.set(name, makeCluster(name));
  expect((await cli.run(["__clusters"])).stdout.replace("east\nwest\n", "")).toBe("");
});
