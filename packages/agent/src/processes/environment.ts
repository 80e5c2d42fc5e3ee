// Gives a child process the variables by which it finds programs and reaches the network. None of the agent's own pass:
// its credentials and settings are in variables, too.

import { delimiter, resolve } from "node:path";

/** All variables of a child. */
export type ChildEnvironment = Readonly<Record<string, string>>;

export function childEnvironment(options: {
  /** The agent's own. */
  readonly from: Readonly<Record<string, string | undefined>>;
  /** Where the child keeps what it keeps. */
  readonly home: string;
  readonly temporary: string;
  /** Its only way out of this machine; undefined: the agent's own. */
  readonly proxy?: string | undefined;
  readonly also?: ChildEnvironment | undefined;
}): ChildEnvironment {
  const { from, home, temporary, proxy, also } = options;
  const passed = Object.entries(from)
    .filter((entry): entry is [string, string] => entry[1] !== undefined && passedNames.has(entry[0].toUpperCase()))
    .map(([name, value]): [string, string] => [name, pathNames.has(name.toUpperCase()) ? makeAbsolute(value) : value]);
  const way = proxy === undefined ? {} : wayOut(proxy);
  const own = Object.fromEntries(passed.filter(([name]) => proxy === undefined || !proxyNames.has(name.toUpperCase())));
  return { LANG: "C.UTF-8", ...own, ...way, ...homes(home), TMPDIR: temporary, ...also };
}

/** Some programs read the names in lower case alone. */
function wayOut(proxy: string): ChildEnvironment {
  const variables = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: "localhost,127.0.0.1,::1" };
  const lower = Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...variables, ...Object.fromEntries(lower) };
}

function homes(home: string): ChildEnvironment {
  return {
    HOME: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_CACHE_HOME: `${home}/.cache`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_STATE_HOME: `${home}/.local/state`,
  };
}

/** The agent's own folder says nothing to a child, which runs in another one. */
function makeAbsolute(paths: string): string {
  return paths
    .split(delimiter)
    .map((path) => (path === "" ? path : resolve(path)))
    .join(delimiter);
}

const pathNames = new Set(["PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"]);
const proxyNames = new Set(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]);
const passedNames = new Set([
  "PATH",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "TZ",
]);
