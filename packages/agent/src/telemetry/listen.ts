import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface PageServer extends AsyncDisposable {
  readonly url: string;
}

export async function startServer(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<PageServer> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
