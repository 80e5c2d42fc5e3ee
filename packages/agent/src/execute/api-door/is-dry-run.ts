/**
 * Whether the API server takes the request for a dry run, whatever reads the query: `dryRun=All` stands there once, in
 * this spelling, and nothing that could be another one.
 */
export function isDryRun(path: string): boolean {
  const at = path.indexOf("?");
  if (at < 0) return false;
  const pairs = path.slice(at + 1).split("&");
  const others = pairs.filter((pair) => pair !== "dryRun=All");
  return pairs.length - others.length === 1 && !others.some(couldBeDryRun);
}

/** Go leaves out pairs that aren't well-formed; they don't stand in a request that means what it says. */
function couldBeDryRun(pair: string): boolean {
  if (pair.includes(";")) return true;
  const [key = ""] = pair.split("=");
  try {
    return decodeURIComponent(key.replaceAll("+", " ")).trim().toLowerCase() === "dryrun";
  } catch {
    return true;
  }
}
