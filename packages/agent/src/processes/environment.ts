// Gives a child process the variables by which it finds programs and reaches the network. None of the agent's own pass:
// its credentials and settings are in variables, too.

/** All variables of a child. */
export type ChildEnvironment = Readonly<Record<string, string>>;

export function childEnvironment(options: {
  /** The agent's own. */
  readonly from: Readonly<Record<string, string | undefined>>;
  /** Where the child keeps what it keeps. */
  readonly home: string;
  readonly temporary: string;
  readonly also?: ChildEnvironment | undefined;
}): ChildEnvironment {
  const { from, home, temporary, also } = options;
  const passed = Object.entries(from).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && passedNames.has(entry[0].toUpperCase()),
  );
  return { LANG: "C.UTF-8", ...Object.fromEntries(passed), HOME: home, TMPDIR: temporary, ...also };
}

const passedNames = new Set([
  ...["PATH", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "TZ"],
]);
