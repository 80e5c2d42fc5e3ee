import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Clock, systemClock } from "@fairlead/kernel";
import { kubeErrors } from "../errors/index.ts";
import type { ClusterAccess, Environment } from "./access.ts";
import { createExecPlugin } from "./exec-plugin.ts";
import { asFields, type Fields, readKubeconfigEntry, textOf } from "./kubeconfig-file.ts";
import { createTokenFile } from "./token-file.ts";

export interface KubeconfigOptions {
  readonly path?: string | undefined;
  /** The text itself, instead of a path. */
  readonly text?: string | undefined;
  readonly context?: string | undefined;
  /** Credential plugins see these, beside the ones that the kubeconfig sets for them. */
  readonly env?: Environment | undefined;
  readonly clock?: Clock | undefined;
}

/** Reads one context of a kubeconfig. Features that aren't supported are refused by name rather than ignored. */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<ClusterAccess> {
  const { path, context, env = {}, clock = systemClock } = options;
  const text = options.text ?? (await readText(path ?? ""));
  const entry = readKubeconfigEntry({ text, context });
  const folder = path === undefined ? undefined : dirname(resolve(path));
  refuseUnsupported(entry.cluster, entry.user);

  const cluster = {
    server: readServer(entry.cluster),
    ca: await readPem(entry.cluster, "certificate-authority", folder),
    insecureSkipTlsVerify: entry.cluster["insecure-skip-tls-verify"] === true,
    tlsServerName: textOf(entry.cluster, "tls-server-name"),
  };
  const cert = await readPem(entry.user, "client-certificate", folder);
  const key = await readPem(entry.user, "client-key", folder);
  if ((cert === undefined) !== (key === undefined)) {
    throw kubeErrors.KUBE_CONFIG_INVALID({ detail: "the user has a client certificate or a client key, but not both" });
  }
  const shared = { ...cluster, namespace: entry.namespace ?? "default" };

  const exec = asFields(entry.user["exec"]);
  if (!exec) return { ...shared, cert, key, authorization: readAuthorization(entry.user, folder, clock) };
  const credential = createExecPlugin({ exec: resolveCommand(exec, folder), cluster, env, clock });
  const first = await credential();
  return {
    ...shared,
    cert: first.cert ?? cert,
    key: first.key ?? key,
    authorization() {
      const known = credential();
      return known instanceof Promise ? known.then(({ token }) => bearer(token)) : bearer(known.token);
    },
  };
}

function readServer(cluster: Fields): URL {
  const server = textOf(cluster, "server");
  if (!server) throw kubeErrors.KUBE_CONFIG_INVALID({ detail: "the cluster has no server" });
  if (!URL.canParse(server))
    throw kubeErrors.KUBE_CONFIG_INVALID({ detail: `server ${JSON.stringify(server)} isn't a URL` });
  const url = new URL(server);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw kubeErrors.KUBE_CONFIG_INVALID({ detail: "server isn't an https URL" });
  return url;
}

function refuseUnsupported(cluster: Fields, user: Fields): void {
  if (textOf(cluster, "proxy-url")) {
    throw kubeErrors.KUBE_CONFIG_UNSUPPORTED({
      feature: "proxy-url",
      hint: "Run the process where it can reach the API server directly.",
    });
  }
  if (user["username"] !== undefined || user["password"] !== undefined) {
    throw kubeErrors.KUBE_CONFIG_UNSUPPORTED({
      feature: "basic authentication",
      hint: "Use a token or a client certificate: Kubernetes removed basic authentication.",
    });
  }
  if (user["auth-provider"] !== undefined) {
    throw kubeErrors.KUBE_CONFIG_UNSUPPORTED({
      feature: "auth-provider",
      hint: "Use an exec credential plugin: kubectl removed auth-provider.",
    });
  }
  if (Object.keys(user).some((name) => name.startsWith("as") && user[name])) {
    throw kubeErrors.KUBE_CONFIG_UNSUPPORTED({
      feature: "impersonation (as, as-groups, …)",
      hint: "Use the credentials of that identity instead.",
    });
  }
}

function readAuthorization(
  user: Fields,
  folder: string | undefined,
  clock: Clock,
): () => string | undefined | Promise<string | undefined> {
  // As in client-go: the file wins over the token in the kubeconfig itself.
  const tokenFile = textOf(user, "tokenFile");
  if (tokenFile) return createTokenFile({ path: resolve(folder ?? ".", tokenFile), clock });
  const header = bearer(textOf(user, "token"));
  return () => header;
}

async function readPem(fields: Fields, name: string, folder: string | undefined): Promise<string | undefined> {
  const data = textOf(fields, `${name}-data`);
  if (data) return Buffer.from(data, "base64").toString("utf8");
  const file = textOf(fields, name);
  return file ? readText(resolve(folder ?? ".", file)) : undefined;
}

/** A command with a slash is relative to the kubeconfig, as in client-go. */
function resolveCommand(exec: Fields, folder: string | undefined): Fields {
  const command = textOf(exec, "command");
  return folder && command?.includes("/") ? { ...exec, command: resolve(folder, command) } : exec;
}

function bearer(token: string | undefined): string | undefined {
  return token === undefined ? undefined : `Bearer ${token}`;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw kubeErrors.KUBE_CONFIG_UNREADABLE({ path, cause: error });
  }
}
