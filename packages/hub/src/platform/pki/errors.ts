import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  PKI_UNREADABLE: {
    message: "The hub's certificate authority in {place} is unreadable.",
    hint: "Restore it from a backup. Without it, every agent must enroll again.",
    meaning: "The hub's CA, in its pki folder or in a shared database, is incomplete or unreadable.",
  },
  PKI_UNWRITABLE: {
    message: "The hub can't write its certificate authority to {folder}.",
    hint: "Make the data folder writable for the hub's user, and check that its disk isn't full.",
    meaning: "The hub can't write its new CA.",
  },
  PKI_TRUST_DOMAIN_INVALID: {
    httpStatus: 400,
    message: "The trust domain {name} isn't a lower-case DNS name.",
    hint: "Use a name such as fairlead.example.com.",
  },
  PKI_EXPIRED: {
    message: "The hub's certificate authority expired on {notAfter}.",
    hint: "Check the clock. To create a new authority, move the pki folder away; every agent must then enroll again.",
    meaning: "The hub's CA has expired.",
  },
  PKI_ROLLOVER_UNDER_WAY: {
    httpStatus: 409,
    message: "A change of the certificate authority is already in progress.",
    hint: "See its progress with `fairlead ca status`, and finish it with `fairlead ca retire`.",
    remedy: "Finish that change first: `fairlead ca retire`.",
  },
  PKI_NOTHING_TO_RETIRE: {
    httpStatus: 409,
    message: "The hub has no old certificate authority to retire.",
    hint: "To create a new one, run `fairlead ca rotate`.",
  },
  PKI_KEY_ENCRYPTION_KEY_INVALID: {
    message: "The key encryption key in {path} is invalid: {reason}.",
    hint: "Create one with `openssl rand -base64 32`, in a file of mode 0600.",
    meaning:
      "The file of `--key-encryption-key-file` is unreadable, doesn't contain 32 bytes, or is accessible to other users.",
  },
  PKI_KEY_ENCRYPTION_KEY_MISSING: {
    message: "The certificate authority's key is encrypted with the key {keyId}, which the hub doesn't have.",
    hint: "Start the hub with --key-encryption-key-file. Without that key the authority is lost, and every agent must enroll again.",
    meaning: "The CA's key is encrypted, and the hub doesn't have the key to decrypt it.",
  },
  PKI_KEY_ENCRYPTION_KEY_WRONG: {
    message:
      "The certificate authority's key is encrypted with another key ({keyId}) than the configured one ({given}).",
    hint: "Set --key-encryption-key-file to the right file, or --previous-key-encryption-key-file to the previous one.",
    meaning: "The CA's key is encrypted with another key than the configured one.",
  },
  PKI_SEALED_KEY_DAMAGED: {
    message: "The certificate authority's encrypted key is damaged, or doesn't match its certificate.",
    hint: "Restore the authority from a backup. Without it, every agent must enroll again.",
    meaning: "The CA's encrypted key was changed, or belongs to another certificate.",
    remedy: "Restore the CA from a backup.",
  },
  PKI_KEY_ENCRYPTION_KEY_NEEDED: {
    message: "Hubs with a shared database must encrypt the key of their certificate authority, which they keep there.",
    hint: "Start every hub with the same --key-encryption-key-file (`openssl rand -base64 32`, mode 0600), so that a copy of the database doesn't reveal the authority's key.",
    meaning: "Several hubs keep their CA in the database, and this hub has no key to encrypt it with.",
  },
  PKI_FOLDER_DIFFERS: {
    message: "The certificate authority in {folder} ({fingerprint}) differs from the database's.",
    hint: "Agents of one don't trust the other. If the database's is right, move that folder away; otherwise give the hub its own database.",
    meaning: "The CA in the data folder differs from the one in the shared database.",
  },
  PKI_IN_DATABASE: {
    message:
      "The hub's certificate authority is in its database (see {mark}), but the hub was started without --hub-address.",
    hint: "Start the hub with --hub-address as before. To use the folder's authority instead, remove that file; agents with certificates of another authority must enroll again.",
    meaning: "The hub's CA is in its database, but the hub was started without `--hub-address`.",
  },
  PKI_GIVEN: {
    httpStatus: 409,
    message: "The hub's certificate authority is configured by files, so the hub can't change it.",
    hint: "Set --next-ca-cert-file and --next-ca-key-file to the next authority. When `fairlead ca status` shows no agent that uses the old one, replace the old one with it. See docs/declarations.md.",
    meaning: "The hub's CA is configured by files, so the hub can't create or retire one.",
  },
  PKI_GIVEN_UNUSABLE: {
    message: "The certificate authority in {certFile} with the key in {keyFile} is unusable: {reason}.",
    hint: "Use a CA certificate and its P-256 key (PKCS#8), both PEM and readable for the hub's user. See docs/declarations.md.",
    meaning:
      "The files of `--ca-cert-file` and `--ca-key-file`, or of the next CA, are unreadable or don't match; the message says why.",
    remedy:
      "Create them as in [declarations.md](declarations.md#a-hub-that-keeps-nothing), readable for the hub's user.",
  },
  PKI_AUTHORITY_ELSEWHERE: {
    message: "The database contains no certificate authority, but {sign}.",
    hint: "First start the hub whose data folder contains the authority: it stores the authority in the database, and the other hubs use it. If this is the wrong database, configure the right one.",
    meaning: "The shared database contains no CA, but agents use one, or the data folder shows that one existed.",
  },
  PKI_COMMAND_KEY_COMING: {
    httpStatus: 409,
    message: "Another command key is already published and starts signing at {signsFrom}.",
    hint: "List the keys with `GET /api/v1/command-keys`. Agents must receive a key before it signs.",
    remedy: "Wait until the key starts signing; `GET /api/v1/command-keys` shows the time.",
  },
} as const;

export const pkiErrors: Errors<typeof table> = defineErrors(table);

export function pkiTrustDomainInvalid(name: string): FairleadError {
  return pkiErrors.PKI_TRUST_DOMAIN_INVALID({ name: JSON.stringify(name) });
}

export function pkiExpired(notAfter: number): FairleadError {
  return pkiErrors.PKI_EXPIRED({ notAfter: new Date(notAfter).toISOString() });
}
