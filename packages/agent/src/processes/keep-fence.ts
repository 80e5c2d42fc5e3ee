// The fence of this agent, opened when the first program needs it, and again after it couldn't be.
import type { Fence } from "./fence.ts";
import { type FenceSettings, openFence } from "./open-fence.ts";

/** `unfenced`: programs have all that the agent's user has on this machine. */
export type FenceWish = { readonly is: "fenced"; readonly settings: FenceSettings } | { readonly is: "unfenced" };

export function keepFence({
  wish,
  ...options
}: Omit<Parameters<typeof openFence>[0], "settings"> & { readonly wish: FenceWish }): () => Promise<Fence | undefined> {
  let opening: Promise<Fence> | undefined;
  return async () => {
    if (wish.is === "unfenced") return undefined;
    opening ??= openFence({ ...options, settings: wish.settings });
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
}
