// haproxy before two hubs: it passes TLS on unopened, and sends new connections where /readyz says yes.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureDebianProgram, startProcess } from "@fairlead/testkit";

export interface HubPorts {
  readonly people: number;
  readonly agents: number;
}

/** Listens at `front` for what listens at the others' ports. */
export async function startHaproxy(options: {
  readonly front: HubPorts;
  readonly hubs: readonly HubPorts[];
}): Promise<AsyncDisposable> {
  const { front, hubs } = options;
  await using undo = new AsyncDisposableStack();
  const haproxy = await ensureDebianProgram({ package: "haproxy", program: "usr/sbin/haproxy" });
  const folder = await mkdtemp(join(tmpdir(), "fairlead-haproxy-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const lines = [
    "global",
    "  maxconn 4000",
    "defaults",
    "  mode tcp",
    "  timeout connect 2s",
    "  timeout client 1h",
    "  timeout server 1h",
    "  timeout check 2s",
    "  retries 10",
    "  option redispatch 1",
    ...describe("people", front.people, hubs),
    ...describe("agents", front.agents, hubs),
  ];
  await writeFile(join(folder, "haproxy.cfg"), `${lines.join("\n")}\n`);
  undo.use(
    await startProcess({
      name: "haproxy",
      command: haproxy.path,
      args: ["-db", "-f", join(folder, "haproxy.cfg")],
      env: { ...haproxy.env },
      logFile: join(folder, "haproxy.log"),
    }),
  );
  const release = undo.move();
  return { [Symbol.asyncDispose]: () => release.disposeAsync() };
}

/** Both listeners are as healthy as the one for people says. */
function describe(which: "people" | "agents", port: number, hubs: readonly HubPorts[]): string[] {
  return [
    `frontend ${which}`,
    `  bind 127.0.0.1:${port}`,
    `  default_backend ${which}`,
    `backend ${which}`,
    "  balance roundrobin",
    "  option httpchk GET /readyz",
    "  http-check expect status 200",
    "  default-server check check-ssl verify none inter 200ms fall 3 rise 1",
    ...hubs.map((hub, index) => `  server hub${index} 127.0.0.1:${hub[which]} port ${hub.people}`),
  ];
}
