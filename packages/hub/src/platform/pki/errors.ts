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
} as const;

export const pkiErrors: Errors<typeof table> = defineErrors(table);

export function pkiTrustDomainInvalid(name: string): FairleadError {
  return pkiErrors.PKI_TRUST_DOMAIN_INVALID({ name: JSON.stringify(name) });
}

export function pkiExpired(notAfter: number): FairleadError {
  return pkiErrors.PKI_EXPIRED({ notAfter: new Date(notAfter).toISOString() });
}
