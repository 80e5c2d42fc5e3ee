// The git server that comes with git, behind Node's HTTP server.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface GitHttp extends AsyncDisposable {
  /** The URL of the repository of this name. */
  url(name: string): string;
  /** Requests that came, with what they said of who they are. */
  readonly seen: readonly { readonly path: string; readonly authorization: string | undefined }[];
}

export async function startGitHttp(options: {
  /** The folder with the repositories. */
  readonly root: string;
  /** Everybody is let in without. */
  readonly password?: { readonly username: string; readonly password: string };
}): Promise<GitHttp> {
  const { root, password } = options;
  const backend = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");
  const allowed = password && `Basic ${Buffer.from(`${password.username}:${password.password}`).toString("base64")}`;
  const seen: { path: string; authorization: string | undefined }[] = [];
  const children = new Set<ChildProcess>();
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    seen.push({ path: request.url ?? "", authorization });
    if (allowed !== undefined && authorization !== allowed)
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    const child = answer({ root, backend, request, response });
    children.add(child);
    child.once("close", () => children.delete(child));
  });
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill("SIGKILL");
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(options: {
  readonly root: string;
  readonly backend: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}): ChildProcess {
  const { root, backend, request, response } = options;
  const { headers, method = "GET" } = request;
  const url = new URL(request.url ?? "/", "http://localhost");
  const length = headers["content-length"];
  const child = spawn(backend, [], {
    env: {
      PATH: process.env["PATH"],
      HOME: root,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: headers["content-type"] ?? "",
      ...(length !== undefined && { CONTENT_LENGTH: length }),
      HTTP_CONTENT_ENCODING: headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(headers["git-protocol"] ?? ""),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  let isBody = false;
  child.stdout.on("data", (chunk: Buffer) => {
    if (isBody) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    isBody = true;
    const lines = head.subarray(0, end).toString("latin1").split("\r\n");
    const fields = lines.map((line) => line.split(/:\s*/, 2) as [string, string]);
    const status = fields.find(([name]) => name === "Status")?.[1];
    response.writeHead(Number(status?.split(" ")[0] ?? 200), Object.fromEntries(fields));
    response.write(head.subarray(end + 4));
  });
  child.once("close", () => response.end());
  return child;
}
