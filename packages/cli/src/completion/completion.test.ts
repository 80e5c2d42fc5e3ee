import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type Cli, createCli } from "../testing/cli.fixture.ts";
import { makeCluster, startContractHub } from "../testing/hub.fixture.ts";
import { makeList, makePod } from "../testing/objects.fixture.ts";

const run = promisify(execFile);

const fairlead = `#!/bin/sh
[ "$1" = __complete ] || exit 1
case "$2" in
  cluster) printf 'east\\nwest\\n' ;;
  object) shift 3; [ "$*" = "get pods -n shop" ] && printf 'web-0\\nweb-1\\n' || printf 'pods\\nservices\\n' ;;
  *) printf '%s-1\\n' "$2" ;;
esac
`;

/** Asks a real bash for its offers after these words. `fairlead` itself is a script that knows a few names. */
async function complete(cli: Cli, words: readonly string[]): Promise<string[]> {
  const bin = join(cli.home, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "fairlead"), fairlead, { mode: 0o755 });
  const { stdout: script } = await cli.run(["completion", "bash"]);
  const asked = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fairlead; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const environment = { PATH: `${bin}:/usr/bin:/bin` };
  const { stdout } = await run("bash", ["-c", asked, "bash", "fairlead", ...words], { env: environment });
  return stdout.split("\n").filter(Boolean).sort();
}

test.each([
  [["c"], ["ca", "change", "cluster", "completion"]],
  [["get", "po"], ["pods"]],
  [
    ["get", "pods", "-n", "shop", "w"],
    ["web-0", "web-1"],
  ],
  [["get", "pods", "-n", ""], ["namespace-1"]],
  [["run", "get", ""], ["run-1"]],
  [["run", "list", "--state", ""], []],
  [["rollout", "pause", ""], ["rollout-1"]],
  [["stack", "get", ""], ["stack-1"]],
  [["schedule", "pause", ""], ["schedule-1"]],
  [["run", "template", ""], ["template-1"]],
  [["argo", "app", "sync", ""], ["application-1"]],
  [["access", "binding", "create", "r"], ["role-1"]],
  [["access", "binding", "create", "viewer", "--robot", ""], ["robot-1"]],
  [["access", "robot", "create", ""], []],
  [["get", "pods", "--cluster", "w"], ["west"]],
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
  [["access", "robot", "delete", ""], ["robot-1"]],
  [
    ["whoami", "-o", ""],
    ["json", "jsonpath=", "table", "yaml"],
  ],
  [
    ["completion", ""],
    ["bash", "fish", "powershell", "zsh"],
  ],
])("after %j bash offers %j", async (words, offered) => {
  await using cli = await createCli();

  expect(await complete(cli, words)).toEqual(offered);
});

test.each(["bash", "zsh", "fish", "powershell"])(
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
    expect(stdout).not.toMatch(/-a '__(clusters|complete)'|'__(clusters|complete):|'__(clusters|complete)' =/);
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

test("each kind of name comes from the hub, for the cluster and the namespace typed so far", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const kinds = [
    { kind: "pods", apiVersion: "v1", kindName: "Pod", namespaced: true, shortNames: ["po"], clusters: 1 },
  ];
  const items = kinds.map((kind) => ({ ...kind, objects: 1 }));
  hub.routes.set("GET /api/v1/kinds", () => ({ status: 200, body: { items } }));
  const list = makeList({ items: [makePod("east", "web-0"), makePod("west", "web-0"), makePod("east", "$(reboot)")] });
  const query = "kind=pods&cluster=east&namespace=shop&limit=500";
  hub.routes.set(`GET /api/v1/objects?${query}`, () => ({ status: 200, body: list }));
  const offer = async (...words: string[]) => (await cli.run(["__complete", ...words])).stdout;

  expect(await offer("object", "--", "get")).toBe("pods\n");
  expect(await offer("kind", "--", "get", "--cluster", "east")).toBe("pods\n");
  expect(await offer("object", "--", "get", "-n", "shop", "pods", "--cluster=east")).toBe("web-0\n");
  expect(await offer("secret", "--")).toBe("");
});
