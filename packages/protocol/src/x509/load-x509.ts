type X509 = typeof import("./provider.ts").x509;

/** When it is needed: it takes 14 MiB of memory, and an agent never needs it. */
export async function loadX509(): Promise<X509> {
  return (await import("./provider.ts")).x509;
}

export type X509Certificate = InstanceType<X509["X509Certificate"]>;
export type Pkcs10CertificateRequest = InstanceType<X509["Pkcs10CertificateRequest"]>;
