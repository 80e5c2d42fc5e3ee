import { X509Certificate } from "node:crypto";
import { Option } from "commander";
import type { Command } from "../command.ts";
import { contextNameOf, findHubContext, saveHubContext } from "../config/index.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { fileNotRead, usage } from "../errors.ts";
import { readText } from "../files/index.ts";
import { fingerprintOf, learnCa, pinCa } from "../hub/index.ts";
import { signIn } from "../login/index.ts";
import { toStoredSession } from "../session/index.ts";

interface LoginOptions {
  readonly tokenFile?: string;
  readonly oidc?: boolean;
  readonly device?: boolean;
  readonly browser: boolean;
  readonly caFingerprint?: string;
  readonly caFile?: string;
}

export function addLogin(program: Command, open: OpenContext): void {
  program
    .command("login")
    .description("Sign in to a hub and remember it")
    .examples(
      "fairlead login https://hub.example.com:8443 --ca-fingerprint 5f3a…c9",
      "pass show robot | fairlead login hub.example.com:8443 --context robot --token-file -",
    )
    .argument("<url>", "Address of the hub for people, for example https://hub.example.com:8443")
    .addOption(
      new Option("--token-file <file>", "Sign in with the token in this file; - for standard input").conflicts([
        "oidc",
        "device",
      ]),
    )
    .addOption(
      new Option("--oidc", "Sign in at the hub's identity provider, in a browser on this machine").conflicts("device"),
    )
    .option("--device", "Sign in at the hub's identity provider, in a browser on another machine")
    .option("--no-browser", "With --oidc, print the address to sign in at instead of opening a browser")
    .addOption(
      new Option("--ca-fingerprint <hex>", "SHA-256 fingerprint of the hub's CA, as the hub printed it").conflicts(
        "caFile",
      ),
    )
    .option("--ca-file <file>", "File with the hub's CA in PEM")
    .action((url: string, options: LoginOptions, command: Command) => login(open(command), url, options));
}

async function login(context: CommandContext, url: string, options: LoginOptions): Promise<void> {
  const { terminal, output, contextRef } = context;
  const hub = normalizeHubUrl(url);
  const name = contextRef.name ?? contextNameOf(hub);
  const ca = await findCa(context, { ...options, hub, name });
  const { session, times } = await signIn({ ...options, hub, ca, opensBrowser: options.browser }, terminal);
  const { environment, signal, trace } = terminal;
  const { proxy } = environment;
  // There may be two while one follows another.
  const known = ca === undefined ? undefined : await learnCa({ hub, ca, proxy, signal, trace });
  await saveHubContext(contextRef.file, { name, hub, ca: known ?? ca, session: toStoredSession(session, times) });

  const who = session.principal.name;
  const caFingerprint = ca === undefined ? undefined : fingerprintOf(ca);
  output.answer(
    { name: who, hub, context: name, caFingerprint, endsAt: session.principal.endsAt, config: contextRef.file },
    () => `Signed in to ${hub} as ${output.safe(who)}.\n`,
  );
  output.remark("Next: 'fairlead kubeconfig --all --merge' lets kubectl in, 'fairlead whoami' says what you may do.");
}

function normalizeHubUrl(text: string): string {
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (!url) throw usage(`'${text}' isn't an address.`, "Write it like https://hub.example.com:8443.");
  if (url.protocol !== "https:")
    throw usage("The hub's address must start with https://.", "Write https:// before its name.");
  if (url.username || url.password || url.search || url.hash) {
    throw usage("The hub's address has unexpected parts.", "Use only scheme, host, port and path.");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

async function findCa(
  { terminal, contextRef }: CommandContext,
  options: Pick<LoginOptions, "caFile" | "caFingerprint"> & { readonly hub: string; readonly name: string },
): Promise<string | undefined> {
  const { signal, environment, trace } = terminal;
  const { hub, name, caFile, caFingerprint } = options;
  if (caFingerprint !== undefined) {
    return pinCa({ hub, fingerprint: caFingerprint, proxy: environment.proxy, signal, trace });
  }
  if (caFile !== undefined) return readCa(caFile);
  // A person who signs in again trusts the CA that he trusted before.
  const before = await findHubContext({ file: contextRef.file, name }).catch(() => undefined);
  return before?.hub === hub ? before.ca : undefined;
}

async function readCa(file: string): Promise<string> {
  const pem = await readText(file);
  try {
    new X509Certificate(pem);
  } catch (thrown) {
    throw fileNotRead(`${file} (as a certificate in PEM)`, thrown);
  }
  return pem;
}
