// Credential plugins (client.authentication.k8s.io): a program that prints an ExecCredential. Its answer is kept
// until shortly before it expires.
import { spawn } from "node:child_process";
import type { Clock } from "@fairlead/kernel";
import { kubeErrors } from "../errors/index.ts";
import type { ClusterAccess, Environment } from "./access.ts";
import { asFields, type Fields, textOf } from "./kubeconfig-file.ts";

export interface ExecCredential {
  readonly token?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly expiresAtMs?: number | undefined;
}

export interface ExecPluginOptions {
  readonly exec: Fields;
  readonly cluster: Pick<ClusterAccess, "server" | "ca" | "insecureSkipTlsVerify" | "tlsServerName">;
  readonly env: Environment;
  readonly clock: Clock;
  readonly timeoutMs?: number | undefined;
}

/** Returns the credential at once while it is valid; runs the plugin once for all who wait. */
export function createExecPlugin(options: ExecPluginOptions): () => ExecCredential | Promise<ExecCredential> {
  const plugin = readPlugin(options.exec);
  let known: ExecCredential | undefined;
  let running: Promise<ExecCredential> | undefined;
  return () => {
    if (known && (known.expiresAtMs ?? Number.POSITIVE_INFINITY) - expiryMarginMs > options.clock.now()) return known;
    running ??= runPlugin(plugin, options)
      .then((credential) => {
        known = credential;
        return credential;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}

interface Plugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly apiVersion: string;
  readonly provideClusterInfo: boolean;
}

function readPlugin(exec: Fields): Plugin {
  const command = textOf(exec, "command");
  if (!command) throw kubeErrors.KUBE_CONFIG_INVALID({ detail: "exec has no command" });
  const apiVersion = textOf(exec, "apiVersion") ?? "client.authentication.k8s.io/v1";
  if (!supportedVersions.has(apiVersion)) {
    throw kubeErrors.KUBE_CONFIG_UNSUPPORTED({
      feature: `exec plugins of ${apiVersion}`,
      hint: "Use a plugin of client.authentication.k8s.io/v1.",
    });
  }
  if (exec["interactiveMode"] === "Always") {
    throw kubeErrors.KUBE_CONFIG_UNSUPPORTED({
      feature: "an exec plugin that needs a terminal",
      hint: "Use a ServiceAccount token instead.",
    });
  }
  const env: Record<string, string> = {};
  for (const item of Array.isArray(exec["env"]) ? exec["env"].map(asFields) : []) {
    if (typeof item?.["name"] === "string") env[item["name"]] = String(item["value"] ?? "");
  }
  const args = Array.isArray(exec["args"]) ? exec["args"].map(String) : [];
  return { command, args, env, apiVersion, provideClusterInfo: exec["provideClusterInfo"] === true };
}

async function runPlugin(plugin: Plugin, options: ExecPluginOptions): Promise<ExecCredential> {
  const { cluster, timeoutMs = 60_000 } = options;
  const spec = {
    interactive: false,
    ...(plugin.provideClusterInfo && {
      cluster: {
        server: cluster.server.href,
        "insecure-skip-tls-verify": cluster.insecureSkipTlsVerify,
        ...(cluster.tlsServerName && { "tls-server-name": cluster.tlsServerName }),
        ...(cluster.ca && { "certificate-authority-data": Buffer.from(cluster.ca).toString("base64") }),
      },
    }),
  };
  const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: "ExecCredential", spec });
  const env = { ...options.env, ...plugin.env, KUBERNETES_EXEC_INFO: info };
  return readCredential(plugin, await collectOutput({ plugin, env, timeoutMs }));
}

function collectOutput(options: { plugin: Plugin; env: Environment; timeoutMs: number }): Promise<string> {
  const { plugin, env, timeoutMs } = options;
  return new Promise((resolve, reject) => {
    // The plugin's stderr is for the person who runs us. Its stdout is the credential and never shown.
    const child = spawn(plugin.command, plugin.args, { env, stdio: ["ignore", "pipe", "inherit"] });
    // A plugin that ignores a signal, or left a child with its output, would hold up every request that needs a
    // credential.
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      child.stdout.destroy();
      reject(
        kubeErrors.KUBE_EXEC_PLUGIN_FAILED({ command: plugin.command, detail: `it took more than ${timeoutMs} ms` }),
      );
    }, timeoutMs).unref();
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > maxOutputBytes) child.kill("SIGKILL");
      else chunks.push(chunk);
    });
    child.on("error", (error) => {
      clearTimeout(late);
      reject(
        kubeErrors.KUBE_EXEC_PLUGIN_FAILED({ command: plugin.command, detail: "it can't be started", cause: error }),
      );
    });
    child.on("close", (code, signal) => {
      clearTimeout(late);
      if (code === 0) return resolve(Buffer.concat(chunks).toString("utf8"));
      reject(
        kubeErrors.KUBE_EXEC_PLUGIN_FAILED({
          command: plugin.command,
          detail: code === null ? `ended by ${signal}` : `exit code ${code}`,
        }),
      );
    });
  });
}

function readCredential(plugin: Plugin, output: string): ExecCredential {
  const status = asFields(asFields(parseJson(plugin, output))?.["status"]);
  if (!status)
    throw kubeErrors.KUBE_EXEC_PLUGIN_FAILED({ command: plugin.command, detail: "its output has no status" });
  const token = textOf(status, "token");
  const cert = textOf(status, "clientCertificateData");
  const key = textOf(status, "clientKeyData");
  if (!token && !(cert && key))
    throw kubeErrors.KUBE_EXEC_PLUGIN_FAILED({
      command: plugin.command,
      detail: "it gave neither a token nor a certificate",
    });
  const expiry = textOf(status, "expirationTimestamp");
  return { token, cert, key, expiresAtMs: expiry === undefined ? undefined : Date.parse(expiry) };
}

function parseJson(plugin: Plugin, output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    // The parse error quotes the text, which may hold the token: not passed on.
    throw kubeErrors.KUBE_EXEC_PLUGIN_FAILED({ command: plugin.command, detail: "its output isn't JSON" });
  }
}

const supportedVersions = new Set(["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]);
const expiryMarginMs = 30_000;
const maxOutputBytes = 1024 * 1024;
