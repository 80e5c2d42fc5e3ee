// OpenSSH as a reverse tunnel: `ssh -R` from beside the API server to an sshd of our own, which listens for users. Both
// as Debian ships them, with their default ciphers. sshd runs without root's rights, so that it needs neither a user
// nor a folder of the system.
import { chown, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { basename, join } from "node:path";
import { type DebianProgram, ensureDebianProgram, reservePorts, runCommand, startProcess } from "@fairlead/testkit";

export interface Tunnel extends AsyncDisposable {
  /** Where its users connect. */
  readonly port: number;
}

const nobody = { name: "nobody", uid: 65534 };

export async function startOpenSsh(options: { targetPort: number }): Promise<Tunnel> {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-openssh-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const client = await ensureDebianProgram({ package: "openssh-client", program: "usr/bin/ssh" });
  const server = await copyServer(folder);
  const [sshPort = 0, port = 0] = undo.use(await reservePorts(2)).ports;
  const user = userInfo().uid === 0 ? nobody : { name: userInfo().username, uid: userInfo().uid };
  await writeFiles({ folder, client, sshPort, port });
  if (userInfo().uid === 0) await chownAll(folder, user.uid);

  const serverArgs = ["-D", "-e", "-f", join(folder, "sshd_config")];
  undo.use(
    await startProcess({
      name: "sshd",
      ...(userInfo().uid === 0
        ? { command: "setpriv", args: [...dropRights, server.path, ...serverArgs] }
        : { command: server.path, args: serverArgs }),
      env: server.env,
      logFile: join(folder, "sshd.log"),
      readyWhen: () => isListening(sshPort),
    }),
  );
  undo.use(
    await startProcess({
      name: "ssh",
      command: client.path,
      args: [
        "-N",
        "-T",
        "-F",
        "none",
        "-i",
        join(folder, "user-key"),
        "-p",
        String(sshPort),
        ...clientOptions(folder),
        "-R",
        `127.0.0.1:${port}:127.0.0.1:${options.targetPort}`,
        `${user.name}@127.0.0.1`,
      ],
      env: { ...client.env, HOME: folder },
      logFile: join(folder, "ssh.log"),
      readyWhen: () => isListening(port),
    }),
  );
  const release = undo.move();
  return { port, [Symbol.asyncDispose]: () => release.disposeAsync() };
}

const dropRights = [`--reuid=${nobody.uid}`, `--regid=${nobody.uid}`, "--clear-groups", "--"];

/** Into a folder that a process without rights can reach. */
async function copyServer(folder: string): Promise<Pick<DebianProgram, "path" | "env">> {
  const program = await ensureDebianProgram({ package: "openssh-server", program: "usr/sbin/sshd" });
  const path = join(folder, "sshd");
  await cp(program.path, path);
  const libraries = (program.env["LD_LIBRARY_PATH"] ?? "").split(":").filter((name) => name !== "");
  for (const from of libraries) {
    const names = await readdir(from).catch(() => []);
    for (const name of names.filter((file) => file.includes(".so"))) {
      await cp(join(from, name), join(folder, "lib", name), { dereference: true });
    }
  }
  return { path, env: { LD_LIBRARY_PATH: join(folder, "lib") } };
}

async function writeFiles(options: { folder: string; client: DebianProgram; sshPort: number; port: number }) {
  const { folder, client, sshPort, port } = options;
  const keygen = join(client.path, "..", "ssh-keygen");
  for (const name of ["host-key", "user-key"]) {
    const args = ["-q", "-t", "ed25519", "-N", "", "-C", "bench", "-f", join(folder, name)];
    await runCommand(keygen, args, { env: { ...client.env, PATH: process.env["PATH"] ?? "" } });
  }
  const hostKey = await readFile(join(folder, "host-key.pub"), "utf8");
  await writeFile(join(folder, "known_hosts"), `[127.0.0.1]:${sshPort} ${hostKey}`);
  await cp(join(folder, "user-key.pub"), join(folder, "authorized_keys"));
  const lines = [
    "ListenAddress 127.0.0.1",
    `Port ${sshPort}`,
    `HostKey ${join(folder, "host-key")}`,
    `AuthorizedKeysFile ${join(folder, "authorized_keys")}`,
    "PidFile none",
    "StrictModes no",
    // Without PAM an account that has no password counts as locked.
    "UsePAM yes",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "AllowTcpForwarding remote",
    `PermitListen 127.0.0.1:${port}`,
  ];
  await writeFile(join(folder, "sshd_config"), `${lines.join("\n")}\n`);
}

function clientOptions(folder: string): string[] {
  return [
    "BatchMode=yes",
    "ExitOnForwardFailure=yes",
    "IdentitiesOnly=yes",
    "StrictHostKeyChecking=yes",
    `UserKnownHostsFile=${join(folder, "known_hosts")}`,
  ].flatMap((option) => ["-o", option]);
}

/** All but the client's key, which ssh takes only from its own user's files. */
async function chownAll(folder: string, uid: number): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (basename(name) !== "user-key") await chown(join(folder, name), uid, uid);
  }
  await chown(folder, uid, uid);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
