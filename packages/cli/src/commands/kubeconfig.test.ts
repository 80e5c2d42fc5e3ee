import { lstat, mkdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type Cli, createCli } from "../testing/cli.fixture.ts";
import { type ContractHub, hubToken, makeCluster, startContractHub } from "../testing/hub.fixture.ts";

async function signedIn(): Promise<AsyncDisposable & { cli: Cli; hub: ContractHub }> {
  const hub = await startContractHub();
  const cli = await createCli();
  await cli.signIn(hub);
  for (const name of ["east", "west"]) hub.clusters.set(name, makeCluster(name));
  hub.clusters.set("gone", makeCluster("gone", { state: "revoked" }));
  return {
    cli,
    hub,
    [Symbol.asyncDispose]: async () => {
      await cli[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
    },
  };
}

test("a context has all that kubectl needs, and nothing is written unasked", async () => {
  await using fleet = await signedIn();
  const { cli, hub } = fleet;

  const { code, stdout } = await cli.run(["kubeconfig", "east"]);
  const config = parse(stdout);

  expect(code).toBe(0);
  expect(config).toMatchObject({ apiVersion: "v1", kind: "Config", "current-context": "fairlead-east" });
  expect(config.clusters[0].cluster).toMatchObject({
    server: `${hub.url}/k8s/clusters/east`,
    "certificate-authority-data": Buffer.from(hub.authority.caPem).toString("base64"),
  });
  const { exec } = config.users[0].user;
  expect(exec.args.slice(-5)).toEqual(["credential", "--context", hub.url.replace("https://", ""), "--hub", hub.url]);
  expect(exec).toMatchObject({ apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "IfAvailable" });
  expect(exec, "where the plugin looks by itself").not.toHaveProperty("env");
  expect(config.contexts[0].context).toMatchObject({ cluster: "fairlead-east", user: "fairlead-east" });
  await expect(stat(join(cli.home, ".kube"))).rejects.toThrow("ENOENT");
});

test("--all leaves revoked clusters out; --json is the same kubeconfig as JSON", async () => {
  await using fleet = await signedIn();

  const { stdout } = await fleet.cli.run(["kubeconfig", "--all", "--context-prefix", "", "--json"]);

  expect(JSON.parse(stdout).contexts.map(({ name }: { name: string }) => name)).toEqual(["east", "west"]);
});

test("--host-per-cluster names a host of the hub's domain of clusters", async () => {
  await using fleet = await signedIn();
  const { cli, hub } = fleet;
  expect(await cli.run(["kubeconfig", "east", "--host-per-cluster"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--cluster-domain"),
  });
  hub.clusterDomain = "k8s.example.com";

  const { stdout } = await cli.run(["kubeconfig", "east", "--host-per-cluster"]);

  const { port } = new URL(hub.url);
  expect(parse(stdout).clusters[0].cluster.server).toBe(`https://east.k8s.example.com:${port}`);
});

test("--output makes a private file, makes it again, and leaves other people's alone", async () => {
  await using fleet = await signedIn();
  const { cli } = fleet;
  const file = join(cli.home, "new", "kubeconfig");

  expect((await cli.run(["kubeconfig", "--all", "--output", file])).code).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await cli.run(["kubeconfig", "west", "--output", file])).code).toBe(0);
  expect(parse(await readFile(file, "utf8")).contexts).toHaveLength(1);

  await writeFile(file, "users: [{name: me, user: {token: t}}]");
  expect(await cli.run(["kubeconfig", "--all", "--output", file])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("CLI_KUBECONFIG_FOREIGN"),
  });
  expect(await readFile(file, "utf8")).toBe("users: [{name: me, user: {token: t}}]");
});

test("--merge adds to kubectl's own file, through a symbolic link, and takes kubectl's lock", async () => {
  await using fleet = await signedIn();
  const { cli } = fleet;
  await mkdir(join(cli.home, ".kube"));
  const [link, real] = [join(cli.home, ".kube", "config"), join(cli.home, "dotfiles")];
  await writeFile(real, "current-context: lab\ncontexts: [{name: lab, context: {cluster: lab}}]\n");
  await symlink(real, link);

  const result = await cli.run(["kubeconfig", "east", "--merge"]);

  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("kubectl --context fairlead-east") });
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  const merged = parse(await readFile(real, "utf8"));
  expect(merged["current-context"]).toBe("lab");
  expect(merged.contexts.map(({ name }: { name: string }) => name)).toEqual(["lab", "fairlead-east"]);
  await expect(stat(`${real}.lock`)).rejects.toThrow("ENOENT");
});

test("the first file of KUBECONFIG is the one that is merged into", async () => {
  await using fleet = await signedIn();
  const { cli } = fleet;
  const file = join(cli.home, "first");

  await cli.run(["kubeconfig", "east", "--merge"], {
    variables: { KUBECONFIG: `:${file}:${join(cli.home, "second")}` },
  });

  expect(parse(await readFile(file, "utf8")).contexts).toHaveLength(1);
});

test("a taken name exits with 5 and changes nothing, not even the entries before it", async () => {
  await using fleet = await signedIn();
  const file = join(fleet.cli.home, "config");
  const text = "users: [{name: fairlead-west, user: {token: t}}]\n";
  await writeFile(file, text);

  expect((await fleet.cli.run(["kubeconfig", "east", "west", `--merge=${file}`])).code).toBe(5);
  expect(await readFile(file, "utf8")).toBe(text);
});

test("two at once both end up in the file", async () => {
  await using fleet = await signedIn();
  const file = join(fleet.cli.home, "config");

  const results = await Promise.all(
    ["east", "west"].map((name) => fleet.cli.run(["kubeconfig", name, `--merge=${file}`])),
  );

  expect(results.map(({ code }) => code)).toEqual([0, 0]);
  expect(parse(await readFile(file, "utf8")).contexts).toHaveLength(2);
});

test.each([
  [["kubeconfig"], 2],
  [["kubeconfig", "--all", "east"], 2],
  [["kubeconfig", "--merge", "east", "west"], 2],
  [["kubeconfig", "--all", "--output", "x", "--merge"], 2],
  [["kubeconfig", "north"], 4],
])("%j exits with %i", async (args, code) => {
  await using fleet = await signedIn();

  expect((await fleet.cli.run(args)).code).toBe(code);
});

test("a configuration that the plugin wouldn't find by itself is named to it", async () => {
  await using fleet = await signedIn();
  const { cli } = fleet;
  const elsewhere = join(cli.home, "elsewhere.json");
  await rename(cli.configFile, elsewhere);

  const { stdout } = await cli.run(["kubeconfig", "east", "--config", elsewhere]);

  expect(parse(stdout).users[0].user.exec.env).toEqual([{ name: "FAIRLEAD_CONFIG", value: elsewhere }]);
});

test("with --static-token a robot's token is written that the hub knows, and no plugin", async () => {
  await using fleet = await signedIn();
  const { cli } = fleet;

  const { stdout } = await cli.run(["kubeconfig", "east", "--static-token", "-"], { stdin: `${hubToken}\n` });
  const refused = await cli.run(["kubeconfig", "east", "--static-token", "-"], { stdin: "flb_unknown\n" });

  expect(Object.keys(parse(stdout).users[0].user)).toEqual(["token", "extensions"]);
  expect(parse(stdout).users[0].user.token).toBe(hubToken);
  expect(refused).toMatchObject({ code: 3, stdout: "" });
});

test("a session's own token is no static token", async () => {
  await using fleet = await signedIn();
  const { cli, hub } = fleet;
  const { accessToken } = hub.sessions.open();

  const refused = await cli.run(["kubeconfig", "east", "--static-token", "-"], { stdin: accessToken });

  expect(refused).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("fairlead access robot token create"),
  });
});
