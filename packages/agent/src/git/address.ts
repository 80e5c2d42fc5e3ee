// Where a repository lies. Only HTTPS and SSH lead out; plain HTTP stays on the machine. Pure.
import { isLoopbackHost } from "../policy/index.ts";
import { gitErrors } from "./errors.ts";

export interface GitAddress {
  readonly is: "http" | "ssh";
  /** As git takes it, without credentials. */
  readonly url: string;
  /** In lower case, without the port. */
  readonly host: string;
}

/** Throws GIT_ADDRESS_INVALID. The message never repeats the address: it may hold a password. */
export function readGitAddress(text: string): GitAddress {
  if (!/^[\x21-\x7e]{1,2000}$/.test(text)) throw invalid("it isn't plain text without spaces");
  const [, user, scpHost, path = ""] = /^(?:([\w.-]+)@)?([\w.-]+):(?!\/\/)(.+)$/.exec(text) ?? [];
  if (scpHost !== undefined && !text.includes("://")) return readSsh(`ssh://${user ?? "git"}@${scpHost}/${path}`, text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "ssh:") return readSsh(text, text);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") throw invalid("it is neither https nor ssh");
  if (url.username !== "" || url.password !== "") throw invalid("it contains credentials");
  if (url.search !== "" || url.hash !== "") throw invalid("it has a query");
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) throw invalid("it is http without TLS");
  return { is: "http", url: url.href, host: url.hostname.toLowerCase() };
}

function readSsh(text: string, url: string): GitAddress {
  const { username, password, hostname, search, hash } = new URL(text);
  if (password !== "") throw invalid("it contains credentials");
  if (search !== "" || hash !== "") throw invalid("it has a query");
  // Neither is ever taken for an option of ssh.
  if (!/^[a-zA-Z0-9[][\w.:\]-]*$/.test(hostname)) throw invalid("its host is no host");
  if (!/^(?:[a-zA-Z0-9_][\w.-]*)?$/.test(username)) throw invalid("its user is no user");
  return { is: "ssh", url, host: hostname.toLowerCase() };
}

function invalid(detail: string): Error {
  return gitErrors.GIT_ADDRESS_INVALID({ detail });
}
