// Decides where providers come from. The agent's setting counts, whatever commands say.
import { tofuErrors } from "./errors.ts";
import { createProviderCache, type ProviderCache } from "./provider-cache.ts";
import type { TofuSpec } from "./types.ts";

export interface Providers {
  /** A folder, or https://…/: from there and from nowhere else. Undefined: commands may name one. */
  readonly mirror?: string | undefined;
  /** Undefined: each run fetches its own. */
  readonly cache?: ProviderCache | undefined;
}

/** As the agent's settings say it. */
export interface ProviderSettings {
  readonly mirror?: string | undefined;
  readonly cacheFolder?: string | undefined;
}

export function openProviders({ mirror, cacheFolder: folder }: ProviderSettings): Providers {
  return { mirror, cache: folder === undefined ? undefined : createProviderCache({ folder }) };
}

/** Undefined: from the registries that the configuration means. Throws TOFU_MIRROR_FIXED and TOFU_MIRROR_LOCAL. */
export function chooseMirror({ mirror: wanted }: Pick<TofuSpec, "mirror">, { mirror }: Providers): string | undefined {
  if (mirror === undefined) {
    if (wanted?.startsWith("/")) throw tofuErrors.TOFU_MIRROR_LOCAL({ wanted });
    return wanted;
  }
  if (wanted !== undefined && wanted !== mirror) throw tofuErrors.TOFU_MIRROR_FIXED({ wanted, mirror });
  return mirror;
}

/** True when OpenTofu says that it finds a provider nowhere, or can't fetch it. */
export function isProviderMissing(summaries: readonly string[]): boolean {
  return summaries.some((summary) => missing.test(summary));
}

const missing =
  /^(?:Failed to (?:(?:query available|resolve) provider packages|install provider)|Incompatible provider version)/;
