// Checks which settings go with --identity mesh. A setting that would be left unused is refused: somebody relies on it.
import { configErrors } from "./errors.ts";
import type { Settings } from "./schema.ts";

export function checkIdentity({ identity, token, tokenFile, proxy, caFile }: Settings, hub: URL): void {
  const isPlain = hub.protocol === "http:";
  if (identity === "certificate") {
    if (isPlain) throw invalid("--hub", "must be an https:// or wss:// URL; without TLS only with --identity mesh");
    return;
  }
  if (token !== undefined || tokenFile !== undefined)
    throw invalid(token === undefined ? "--token-file" : "--token", "isn't used with --identity mesh: nobody enrolls");
  if (isPlain && proxy !== undefined && proxy !== "none")
    throw invalid("--proxy", "can't be used to a hub without TLS: it would read all, and no mesh would know the agent");
  if (!isPlain && caFile === undefined)
    throw invalid("--ca-file", "is needed with --identity mesh and an https:// hub: no join token says whom to trust");
}

function invalid(name: string, detail: string): Error {
  return configErrors.CONFIG_SETTING_INVALID({ name, detail });
}
