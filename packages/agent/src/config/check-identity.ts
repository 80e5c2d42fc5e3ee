// Checks which settings go with --identity mesh. A setting that would be left unused is refused: somebody relies on it.
import { settingInvalid } from "./errors.ts";
import type { Settings } from "./settings.ts";

export function checkIdentity({ identity, token, tokenFile, proxy, caFile }: Settings, hub: URL): void {
  const isPlain = hub.protocol === "http:";
  if (identity === "certificate") {
    if (isPlain)
      throw settingInvalid("--hub", "expected an https:// or wss:// URL; http:// and ws:// require --identity mesh");
    return;
  }
  if (token !== undefined || tokenFile !== undefined)
    throw settingInvalid(
      token === undefined ? "--token-file" : "--token",
      "it can't be combined with --identity mesh, where no agent enrolls",
    );
  if (isPlain && proxy !== undefined && proxy !== "none")
    throw settingInvalid(
      "--proxy",
      "it can't be used for a hub without TLS: the proxy could read everything, and no mesh would know the agent",
    );
  if (!isPlain && caFile === undefined)
    throw settingInvalid(
      "--ca-file",
      "--identity mesh and an https:// hub require it: no join token says whom to trust",
    );
}
