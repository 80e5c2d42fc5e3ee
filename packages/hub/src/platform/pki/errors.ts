import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  PKI_UNREADABLE: {
    message: "The hub's certificate authority in {folder} can't be read.",
    hint: "Restore ca.pem and ca.key from a backup. Without them every agent has to enroll again.",
  },
  PKI_UNWRITABLE: {
    message: "The hub can't write its certificate authority to {folder}.",
    hint: "Make the data folder writable for the hub's user and see that its disk isn't full.",
  },
  PKI_TRUST_DOMAIN_INVALID: {
    httpStatus: 400,
    message: "The trust domain {name} isn't a DNS name in lower case.",
    hint: "Choose one such as fairlead.example.com.",
  },
  PKI_EXPIRED: {
    message: "The hub's certificate authority ended on {notAfter}.",
    hint: "See that the clock is right. A new authority (move the pki folder away) means that every agent enrolls again.",
  },
  PKI_ROLLOVER_UNDER_WAY: {
    httpStatus: 409,
    message: "A new certificate authority is taking over already.",
    hint: "`fairlead ca status` says how far it is; `fairlead ca retire` ends the old one.",
  },
  PKI_NOTHING_TO_RETIRE: {
    httpStatus: 409,
    message: "The hub has one certificate authority and no old one beside it.",
    hint: "`fairlead ca rotate` makes a new one.",
  },
  PKI_KEY_ENCRYPTION_KEY_INVALID: {
    message: "The key encryption key in {path} can't be used: {reason}.",
    hint: "Make one with `openssl rand -base64 32`, in a file of mode 0600.",
  },
  PKI_KEY_ENCRYPTION_KEY_MISSING: {
    message: "The certificate authority's key is encrypted (by the key {keyId}), and the hub wasn't told by what.",
    hint: "Start the hub with --key-encryption-key-file. Without that key the authority is lost, and every agent enrolls again.",
  },
  PKI_KEY_ENCRYPTION_KEY_WRONG: {
    message: "The certificate authority's key is encrypted by another key ({keyId}) than the one given ({given}).",
    hint: "Give the right file as --key-encryption-key-file, or the one until now as --previous-key-encryption-key-file.",
  },
  PKI_SEALED_KEY_DAMAGED: {
    message: "The certificate authority's encrypted key is damaged, or isn't the one of its certificate.",
    hint: "Restore the pki folder from a backup. Without it every agent has to enroll again.",
  },
} as const;

export const pkiErrors: Errors<typeof table> = defineErrors(table);

export function pkiTrustDomainInvalid(name: string): FairleadError {
  return pkiErrors.PKI_TRUST_DOMAIN_INVALID({ name: JSON.stringify(name) });
}

export function pkiExpired(notAfter: number): FairleadError {
  return pkiErrors.PKI_EXPIRED({ notAfter: new Date(notAfter).toISOString() });
}
