import { FairleadError } from "@fairlead/kernel";

export function pkiUnreadable(folder: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "PKI_UNREADABLE",
    message: `The hub's certificate authority in ${folder} can't be read.`,
    hint: "Restore ca.pem and ca.key from a backup. Without them every agent has to enroll again.",
    cause,
  });
}

export function pkiUnwritable(folder: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "PKI_UNWRITABLE",
    message: `The hub can't write its certificate authority to ${folder}.`,
    hint: "Make the data folder writable for the hub's user and see that its disk isn't full.",
    cause,
  });
}

export function pkiTrustDomainInvalid(name: string): FairleadError {
  return new FairleadError({
    code: "PKI_TRUST_DOMAIN_INVALID",
    message: `The trust domain ${JSON.stringify(name)} isn't a DNS name in lower case.`,
    hint: "Choose one such as fairlead.example.com.",
    httpStatus: 400,
  });
}

export function pkiExpired(notAfter: number): FairleadError {
  return new FairleadError({
    code: "PKI_EXPIRED",
    message: `The hub's certificate authority ended on ${new Date(notAfter).toISOString()}.`,
    hint: "See that the clock is right. A new authority (move the pki folder away) means that every agent enrolls again.",
  });
}
