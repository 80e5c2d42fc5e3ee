/** How to reach one API server and as whom. Everything that can rotate is asked for each time it is needed. */
export interface ClusterAccess {
  readonly server: URL;
  /** PEM; undefined: the certificates that Node trusts. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** Name to verify the server's certificate against, when it isn't the host of `server`. */
  readonly tlsServerName?: string | undefined;
  /** The value of the `Authorization` header. At once when it is known, because every proxied request asks. */
  authorization(): string | undefined | Promise<string | undefined>;
  /** The namespace that requests without one mean. */
  readonly namespace: string;
}

/** The environment, passed in: only a program's configuration reads the real one. */
export type Environment = Readonly<Record<string, string | undefined>>;
