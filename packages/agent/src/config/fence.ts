import { resolve } from "node:path";
import type { FenceWish } from "../processes/index.ts";
import type { Settings } from "./settings.ts";

export function toFenceWish(settings: Settings): FenceWish {
  if (settings.executeUnfenced) return { is: "unfenced" };
  const { executeRunner: program, executeRunnerSocket: socket, executeUids: uids } = settings;
  return { is: "fenced", settings: { program: program && resolve(program), socket: socket && resolve(socket), uids } };
}
