// `fairlead-hub admin-token new`: carries it out, and says what came of it.
import { newAdminToken } from "./people/access/index.ts";
import { type HubConfig, readEnvironment } from "./platform/config/index.ts";
import { useStore } from "./platform/store/index.ts";
import { findStore } from "./store-command.ts";

export async function runAdminTokenCommand(
  config: HubConfig,
  options: {
    readonly revokesOthers: boolean;
    /** Once, unless the token is in a file. */
    readonly show: (token: string) => void;
  },
): Promise<string> {
  const { adminTokenOut, postgresBinDir: binDirs, postgresSocketDir: socketDir } = config;
  const file = adminTokenOut === "-" ? undefined : adminTokenOut;
  const place = await findStore(config);
  const programs = { binDirs, socketDir, path: readEnvironment()["PATH"] };
  return await useStore(place, programs, async (client, { mayBeServed }) => {
    const patienceMs = mayBeServed ? takenWithinMs : 0;
    const { revoked, isTaken } = await newAdminToken({ ...options, client, file, patienceMs });
    const lines = [
      file === undefined ? "made a new admin token" : `wrote a new admin token to ${file}`,
      ...(options.revokesOthers ? [`former admin tokens that ended: ${revoked}`] : []),
      isTaken ? "the hub takes it from now on" : "no hub has taken it yet: the next one that starts here does",
    ];
    return lines.join("; ");
  });
}

/** A hub looks once a second. */
const takenWithinMs = 10_000;
