// The one door to @peculiar/x509. It needs `reflect-metadata` to be loaded first, so imports stay in this order.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(globalThis.crypto);

export { x509 };
