// A plain TCP balancer on loopback: each new connection goes to the next target that takes it, and stays there.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Balancer extends AsyncDisposable {
  readonly port: number;
  /** The targets from now on; connections that there are stay where they are. */
  use(ports: readonly number[]): void;
}

export async function startBalancer(options: { readonly ports: readonly number[] }): Promise<Balancer> {
  let ports = options.ports;
  let turn = 0;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    near.on("error", () => near.destroy());
    track(near);
    const order = ports.map((_, index) => ports[(turn + index) % ports.length] ?? 0);
    turn += 1;
    void pass(near, order);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    use(next) {
      ports = next;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };

  async function pass(near: Socket, order: readonly number[]): Promise<void> {
    for (const port of order) {
      const far = connect({ host: "127.0.0.1", port });
      track(far);
      const isTaken = await once(far, "connect").then(
        () => true,
        () => false,
      );
      far.on("error", () => far.destroy());
      if (!isTaken) continue;
      for (const socket of [near, far]) socket.setNoDelay(true);
      near.on("close", () => far.destroy());
      far.on("close", () => near.destroy());
      near.pipe(far).pipe(near);
      return;
    }
    near.destroy();
  }

  function track(socket: Socket): void {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  }
}
