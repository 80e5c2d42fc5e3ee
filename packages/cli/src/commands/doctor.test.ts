import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Cli, createCli } from "../testing/cli.fixture.ts";

const standIn = new URL("../../../doctor/stand-ins/metrics-server/upstream.yaml", import.meta.url);

async function makeFolder(cli: Cli, options: { readonly withAddon: boolean }): Promise<string> {
  const folder = join(cli.home, "dump");
  await mkdir(folder);
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels: { "eks.amazonaws.com/nodegroup": "web" } },
  };
  await writeFile(join(folder, "nodes.json"), JSON.stringify(node));
  if (options.withAddon) await copyFile(standIn, join(folder, "metrics-server.yaml"));
  return folder;
}

const only = ["--only", "metrics-server"];

test("a cluster that has what is essential for its type is fit: 0", async () => {
  await using cli = await createCli();
  const folder = await makeFolder(cli, { withAddon: true });
  const { code, stdout, stderr } = await cli.run(["doctor", "--from", folder, "--complete", ...only]);
  expect(stdout).toMatch(/^Cluster type: eks \(nodes n .*: web\)/);
  expect(stdout).toMatch(/^metrics-server +essential +healthy +0\.\d+\.\d+ +manifests$/m);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("a cluster that lacks it isn't: 1, and the answer is the same in all formats", async () => {
  await using cli = await createCli();
  const folder = await makeFolder(cli, { withAddon: false });
  const ask = (...args: string[]) => cli.run(["doctor", "--from", folder, "--complete", ...only, ...args]);
  const answers = [
    await ask(),
    await ask("--json"),
    await ask("-o", "json"),
    await ask("--junit"),
    await ask("--sarif"),
  ];
  expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(Array(5).fill([1, ""]));
  expect(answers[0]?.stdout).toContain(
    "The cluster is not fit:\n  metrics-server: metrics-server isn't in the cluster.",
  );
  expect(JSON.parse(answers[1]?.stdout ?? "")).toMatchObject({ fitness: "unfit", profile: "fairlead" });
  expect(answers[2]?.stdout).toBe(answers[1]?.stdout);
  expect(answers[3]?.stdout).toContain(`<failure message="metrics-server isn't in the cluster.">`);
  expect(JSON.parse(answers[4]?.stdout ?? "")).toMatchObject({ runs: [{ properties: { fitness: { is: "unfit" } } }] });
  // For another type it is optional.
  expect((await ask("--type", "gke")).code).toBe(0);
});

test("files that may not be all don't say that it is missing: 2", async () => {
  await using cli = await createCli();
  const folder = await makeFolder(cli, { withAddon: false });
  const { code, stdout } = await cli.run(["doctor", "--from", folder, ...only]);
  expect(stdout).toContain("Nobody can tell whether the cluster is fit:\n  metrics-server: Nothing was found");
  expect(stdout).toMatch(/^metrics-server +essential +unknown/m);
  expect(code).toBe(2);
});

test.each([
  [["--kubeconfig", "/nowhere"], "KUBE_CONFIG_UNREADABLE"],
  [["--from", "/nowhere"], "CLI_FILE_NOT_READ"],
  [["--profile", "nobody"], "CLI_USAGE"],
  [["--profile", "/nowhere.yaml"], "CLI_FILE_NOT_READ"],
  [["--type", "cloud"], "CLI_USAGE"],
  [["--only", "argocd,nothing"], "CLI_USAGE"],
  [["--complete"], "CLI_USAGE"],
  [["--sarif", "--junit"], "CLI_USAGE"],
  [["--from", "a", "--kube-context", "b"], "CLI_USAGE"],
])("what can't be used is an error by its name, and 2: %s", async (args, name) => {
  await using cli = await createCli();
  const { code, stdout, stderr } = await cli.run(["doctor", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(`(${name})`);
});

test("a profile of one's own says what is asked for, and is named in the answer", async () => {
  await using cli = await createCli();
  const folder = await makeFolder(cli, { withAddon: true });
  const file = join(cli.home, "mine.yaml");
  await writeFile(file, "name: mine\nextends: truefoundry\n");
  const ask = () => cli.run(["doctor", "--profile", file, "--from", folder, "--complete", ...only]);
  expect(await ask()).toMatchObject({ code: 0, stdout: expect.stringContaining("Profile: mine.") });
  await writeFile(file, "name: mine\nextends: truefoundry\nargo: {}\n");
  const { code, stderr } = await ask();
  expect(code).toBe(2);
  expect(stderr).toContain(`${file}:3:1: the profile has no field 'argo'; did you mean 'argocd'?`);
});

test("an API server that can't be reached is 2, and an error in JSON for programs", async () => {
  await using cli = await createCli();
  const kubeconfig = join(cli.home, "kubeconfig");
  const clusters = [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }];
  const contexts = [{ name: "c", context: { cluster: "c" } }];
  await writeFile(kubeconfig, JSON.stringify({ "current-context": "c", clusters, contexts }));
  const { code, stderr } = await cli.run(["doctor", "--json"], { variables: { KUBECONFIG: kubeconfig } });
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({ code: "KUBE_UNREACHABLE" });
});

test("one format at a time", async () => {
  await using cli = await createCli();
  const { code, stderr } = await cli.run(["doctor", "--sarif", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({ detail: "--json can't be combined with another format." });
});
