// Makes the same as NATS' own tool `nsc`: an operator, an account and a user, each signed by the one above, and the
// user's file.
import { nkeys } from "@nats-io/transport-node";

export interface NatsAccounts {
  /** Lines of the server's configuration. */
  readonly config: string;
  /** The text of a .creds file. */
  readonly creds: string;
}

export function createNatsAccounts(): NatsAccounts {
  const operator = nkeys.createOperator();
  const account = nkeys.createAccount();
  const user = nkeys.createUser();
  const sign = (signer: typeof operator, subject: typeof operator, name: string, nats: object): string => {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = {
      jti: crypto.randomUUID(),
      iat: Math.floor(Date.now() / 1_000),
      name,
      nats: { version: 2, ...nats },
      iss: signer.getPublicKey(),
      sub: subject.getPublicKey(),
    };
    const text = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode(claims)}`;
    return `${text}.${Buffer.from(signer.sign(new TextEncoder().encode(text))).toString("base64url")}`;
  };
  const anyNumber = { subs: -1, data: -1, payload: -1 };
  const limits = { ...anyNumber, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const operatorJwt = sign(operator, operator, "operator", { type: "operator" });
  const accountJwt = sign(operator, account, "hubs", { type: "account", limits });
  const userJwt = sign(account, user, "hub", { type: "user", ...anyNumber, pub: {}, sub: {} });
  const seed = new TextDecoder().decode(user.getSeed());
  return {
    config: `operator: ${operatorJwt}\nresolver: MEMORY\nresolver_preload: { ${account.getPublicKey()}: ${accountJwt} }\n`,
    creds: [
      "-----BEGIN NATS USER JWT-----",
      userJwt,
      "------END NATS USER JWT------",
      "",
      "-----BEGIN USER NKEY SEED-----",
      seed,
      "------END USER NKEY SEED------",
      "",
    ].join("\n"),
  };
}
