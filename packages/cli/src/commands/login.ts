import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { type Profile, saveProfile } from "../config/index.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { fileNotRead, tokenMissing, usage } from "../errors.ts";
import { connectHub, fingerprintOf, pinCa } from "../hub/index.ts";
import { ask, canAsk, readAll, type Terminal } from "../terminal.ts";

interface LoginOptions {
  readonly tokenFile?: string;
  readonly caFingerprint?: string;
  readonly caFile?: string;
}

export function addLogin(program: Command, open: OpenContext): void {
  program
    .command("login")
    .description("sign in to a hub and remember it")
    .argument("<url>", "the hub's address for people, such as https://hub.example.com:8443")
    .option("--token-file <file>", "read the token from a file ('-': standard input)")
    .addOption(
      new Option("--ca-fingerprint <hex>", "SHA-256 of the hub's CA, as the hub printed it").conflicts("caFile"),
    )
    .option("--ca-file <file>", "the hub's CA in PEM")
    .action((url: string, options: LoginOptions, command: Command) => login(open(command), url, options));
}

async function login(context: CommandContext, url: string, options: LoginOptions): Promise<void> {
  const { terminal, output, configFile, signal } = context;
  const hub = normalizeHubUrl(url);
  const ca = await findCa(hub, options, terminal);
  const profile: Profile = { hub, ca, token: await readToken(options, terminal) };
  const { name } = await connectHub(profile, terminal).whoami({ signal });
  await saveProfile(configFile, profile);

  const caFingerprint = ca === undefined ? undefined : fingerprintOf(ca);
  output.answer(
    { name, hub, caFingerprint, config: configFile },
    () => `Signed in to ${hub} as ${output.safe(name)}.\n`,
  );
  output.remark("Next: 'fairlead cluster add NAME' registers a cluster.");
}

function normalizeHubUrl(text: string): string {
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (!url) throw usage(`'${text}' isn't an address.`, "Write it like https://hub.example.com:8443.");
  if (url.protocol !== "https:") throw usage("A hub is only spoken to over https.", "Write https:// before its name.");
  if (url.username || url.password || url.search || url.hash) {
    throw usage(
      "The hub's address has parts that don't belong there.",
      "Scheme, host, port and path are all it takes.",
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

async function findCa(hub: string, options: LoginOptions, terminal: Terminal): Promise<string | undefined> {
  const { signal } = terminal;
  const { proxy } = terminal.environment;
  if (options.caFingerprint !== undefined) return pinCa({ hub, fingerprint: options.caFingerprint, proxy, signal });
  if (options.caFile === undefined) return undefined;
  const pem = await readText(options.caFile);
  try {
    new X509Certificate(pem);
  } catch (thrown) {
    throw fileNotRead(`${options.caFile} (as a certificate in PEM)`, thrown);
  }
  return pem;
}

/** Never from the command line: other users of the machine could read it there. */
async function readToken(options: LoginOptions, terminal: Terminal): Promise<string> {
  const { tokenFile } = options;
  if (tokenFile !== undefined && tokenFile !== "-") return checkToken(await readText(tokenFile), `in ${tokenFile}`);
  if (tokenFile === undefined && terminal.environment.token) return checkToken(terminal.environment.token, "");
  if (canAsk(terminal)) return checkToken(await ask(terminal, "Token: ", { hidden: true }), "given");
  return checkToken(await readAll(terminal.stdin), "on standard input");
}

function checkToken(text: string, where: string): string {
  const token = text.trim();
  if (token === "") throw tokenMissing(where);
  // It becomes part of a header; the message must not repeat it.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usage("The token has characters that no token has.", "Copy it again, alone.");
  return token;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw fileNotRead(file, thrown);
  }
}
