import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  PKI_UNREADABLE: {
    message: "The hub's certificate authority in {place} can't be read.",
    hint: "Restore it from a backup. Without it every agent has to enroll again.",
    meaning: "The hub's CA, in its pki folder or in the database of several hubs, is incomplete or can't be read.",
  },
  PKI_UNWRITABLE: {
    message: "The hub can't write its certificate authority to {folder}.",
    hint: "Make the data folder writable for the hub's user and see that its disk isn't full.",
    meaning: "The hub's new CA can't be written.",
  },
  PKI_TRUST_DOMAIN_INVALID: {
    httpStatus: 400,
    message: "The trust domain {name} isn't a DNS name in lower case.",
    hint: "Choose one such as fairlead.example.com.",
  },
  PKI_EXPIRED: {
    message: "The hub's certificate authority ended on {notAfter}.",
    hint: "See that the clock is right. A new authority (move the pki folder away) means that every agent enrolls again.",
    meaning: "The hub's CA has ended.",
  },
  PKI_ROLLOVER_UNDER_WAY: {
    httpStatus: 409,
    message: "A new certificate authority is taking over already.",
    hint: "`fairlead ca status` says how far it is; `fairlead ca retire` ends the old one.",
    remedy: "End that first: `fairlead ca retire`.",
  },
  PKI_NOTHING_TO_RETIRE: {
    httpStatus: 409,
    message: "The hub has one certificate authority and no old one beside it.",
    hint: "`fairlead ca rotate` makes a new one.",
  },
  PKI_KEY_ENCRYPTION_KEY_INVALID: {
    message: "The key encryption key in {path} can't be used: {reason}.",
    hint: "Make one with `openssl rand -base64 32`, in a file of mode 0600.",
    meaning: "The file of `--key-encryption-key-file` can't be read, doesn't hold 32 bytes, or is open to others.",
  },
  PKI_KEY_ENCRYPTION_KEY_MISSING: {
    message: "The certificate authority's key is encrypted (by the key {keyId}), and the hub wasn't given that key.",
    hint: "Start the hub with --key-encryption-key-file. Without that key the authority is lost, and every agent enrolls again.",
    meaning: "The CA's key is encrypted and the hub was started without the key for it.",
  },
  PKI_KEY_ENCRYPTION_KEY_WRONG: {
    message: "The certificate authority's key is encrypted by another key ({keyId}) than the one given ({given}).",
    hint: "Give the right file as --key-encryption-key-file, or the one until now as --previous-key-encryption-key-file.",
    meaning: "The CA's key is encrypted by another key than the one given.",
  },
  PKI_SEALED_KEY_DAMAGED: {
    message: "The certificate authority's encrypted key is damaged, or isn't the one of its certificate.",
    hint: "Restore the authority from a backup. Without it every agent has to enroll again.",
    meaning: "The CA's encrypted key was changed, or belongs to another certificate.",
    remedy: "Restore the CA from a backup.",
  },
  PKI_KEY_ENCRYPTION_KEY_NEEDED: {
    message: "Hubs that share a database keep their certificate authority there, and its key only encrypted.",
    hint: "Start every hub with the same --key-encryption-key-file (`openssl rand -base64 32`, mode 0600), so that a copy of the database doesn't give the authority away.",
    meaning: "Several hubs are to keep their CA in the database, and the hub has no key to encrypt it by.",
  },
  PKI_FOLDER_DIFFERS: {
    message: "The certificate authority in {folder} ({fingerprint}) is another one than the database's.",
    hint: "Agents of one don't trust the other. If the database's is right, move that folder away; else give the hub its own database.",
    meaning: "The data folder has another CA than the database of several hubs.",
  },
  PKI_IN_DATABASE: {
    message:
      "The hub's certificate authority is in its database, as {mark} says, but the hub was started without --hub-address.",
    hint: "Start it with --hub-address as before. To use the folder's authority instead, remove that file; agents with certificates of another one must enroll again.",
    meaning: "The hub goes by a CA in its database, and was started without telling it of other hubs.",
  },
  PKI_GIVEN: {
    httpStatus: 409,
    message: "The hub was given its certificate authority by files, and can't change it itself.",
    hint: "Give it the next one as --next-ca-cert-file and --next-ca-key-file; when `fairlead ca status` says that no agent goes by the old one, let the next one take its place. docs/declarations.md has the steps.",
    meaning: "The hub was given its CA by files, so it can't make or retire one itself.",
  },
  PKI_GIVEN_UNUSABLE: {
    message: "The certificate authority in {certFile} with the key in {keyFile} can't be used: {reason}.",
    hint: "It is a CA certificate with its P-256 key (PKCS#8), both PEM, that the hub's user may read. docs/declarations.md says how to make one.",
    meaning:
      "The files of `--ca-cert-file` and `--ca-key-file`, or of the next CA, can't be read or don't fit; the message says why.",
    remedy:
      "Make them as [declarations.md](declarations.md#a-hub-that-keeps-nothing) shows, readable for the hub's user.",
  },
  PKI_AUTHORITY_ELSEWHERE: {
    message: "The database holds no certificate authority, but {sign}.",
    hint: "Start the hub whose data folder has the authority first: it goes into the database, and the other hubs follow. If this is the wrong database, give the hub the right one.",
    meaning:
      "The database of several hubs has no CA, but agents go by one, or the data folder says that there was one.",
  },
  PKI_COMMAND_KEY_COMING: {
    httpStatus: 409,
    message: "Another key for commands is given out already, and signs from {signsFrom} on.",
    hint: "`GET /api/v1/command-keys` lists the keys. Agents must have heard of a key before it signs.",
    remedy: "Wait until it signs; `GET /api/v1/command-keys` says from when on.",
  },
} as const;

export const pkiErrors: Errors<typeof table> = defineErrors(table);

export function pkiTrustDomainInvalid(name: string): FairleadError {
  return pkiErrors.PKI_TRUST_DOMAIN_INVALID({ name: JSON.stringify(name) });
}

export function pkiExpired(notAfter: number): FairleadError {
  return pkiErrors.PKI_EXPIRED({ notAfter: new Date(notAfter).toISOString() });
}
