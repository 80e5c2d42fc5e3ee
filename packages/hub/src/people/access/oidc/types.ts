/** How the hub knows its OpenID Connect provider. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Read again for each discovery; without it the hub is a public client. */
  readonly clientSecretFile: string | undefined;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  /** Undefined: the e-mail address if it is verified, else the subject. */
  readonly usernameClaim: string | undefined;
  /**
   * For a provider that verifies all addresses and never says so. Its word counts all the same when it says otherwise.
   */
  readonly assumesEmailVerified?: boolean | undefined;
  /** Undefined: everyone whom the provider lets in. */
  readonly allowedGroups: readonly string[] | undefined;
  /** Trusted beside the usual authorities. */
  readonly caFile: string | undefined;
}

/** The person that the provider vouches for. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly groups: readonly string[];
  /** The provider's name for the sign-in there; not all tell it. */
  readonly sid?: string | undefined;
}

/** As the provider says that it is over: one sign-in there, or all of a person's. */
export interface Logout {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly sid: string | undefined;
  readonly id: string;
  /** From then on nobody would take it any more. */
  readonly endsMs: number;
}
