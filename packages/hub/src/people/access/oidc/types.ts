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
}
