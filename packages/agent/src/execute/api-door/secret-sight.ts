// Which Secrets the programs of a run see: those that the command names, those of its own release or state, and those
// that the run has made.

export interface SecretRules {
  /** `NAMESPACE/NAME` */
  readonly names: readonly string[];
  /** Whether it belongs to the command's own release or state. */
  readonly isOwn?: ((namespace: string, name: string) => boolean) | undefined;
  /** The same, by what the Secret says of itself. */
  readonly owns?: ((secret: OwnedSecret) => boolean) | undefined;
  /** Nobody who may has approved yet: other Secrets look as if they weren't there. */
  readonly isProposal?: boolean | undefined;
}

/** Metadata of a Secret as the API server answers with it. */
export interface OwnedSecret {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined;
}

export interface SecretSight {
  readonly isProposal: boolean;
  sees(namespace: string, name: string): boolean;
  owns(secret: OwnedSecret): boolean;
  /** The API server has created it for this run. */
  made(namespace: string, name: string): void;
}

export function createSecretSight({ names, isOwn, owns, isProposal = false }: SecretRules): SecretSight {
  const seen = new Set(names);
  return {
    isProposal,
    sees: (namespace, name) => seen.has(`${namespace}/${name}`) || isOwn?.(namespace, name) === true,
    owns: (secret) => owns?.(secret) === true,
    made: (namespace, name) => void seen.add(`${namespace}/${name}`),
  };
}

/** Objects of a chart say so. */
export function isOfRelease(release: {
  readonly namespace: string;
  readonly name: string;
}): (secret: OwnedSecret) => boolean {
  return ({ metadata }) =>
    metadata?.annotations?.["meta.helm.sh/release-name"] === release.name &&
    metadata.annotations["meta.helm.sh/release-namespace"] === release.namespace;
}

/** The Secrets in which Helm keeps the revisions of a release. */
export function isReleaseSecret(release: {
  readonly namespace: string;
  readonly name: string;
}): (namespace: string, name: string) => boolean {
  const prefix = `sh.helm.release.v1.${release.name}.v`;
  return (namespace, name) =>
    namespace === release.namespace && name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
}
