import { FairleadError } from "@fairlead/kernel";

const csrHint = "The agent makes its own request; anything else that sends one must use a fresh P-256 key.";

export function csrTooLarge(limitBytes: number): FairleadError {
  return new FairleadError({
    code: "ENROLL_CSR_TOO_LARGE",
    message: `The certificate request is larger than ${limitBytes} bytes.`,
    hint: csrHint,
    httpStatus: 413,
  });
}

export function csrMalformed(cause?: unknown): FairleadError {
  return new FairleadError({
    code: "ENROLL_CSR_MALFORMED",
    message: "The certificate request isn't a DER-encoded PKCS #10 request.",
    hint: csrHint,
    httpStatus: 400,
    cause,
  });
}

export function csrKeyNotAllowed(cause?: unknown): FairleadError {
  return new FairleadError({
    code: "ENROLL_CSR_KEY",
    message: "The certificate request's key isn't an uncompressed point on the named curve P-256.",
    hint: csrHint,
    httpStatus: 400,
    cause,
  });
}

export function csrSignatureInvalid(cause?: unknown): FairleadError {
  return new FairleadError({
    code: "ENROLL_CSR_SIGNATURE",
    message: "The certificate request isn't signed (ECDSA, SHA-256 or stronger) by the key that it carries.",
    hint: csrHint,
    httpStatus: 400,
    cause,
  });
}

export function authorityBroken(message: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "PKI_AUTHORITY_BROKEN",
    message,
    hint: "Restore the hub's pki folder from a backup; a new authority means that every agent enrolls again.",
    cause,
  });
}

export function certificateMalformed(cause?: unknown): FairleadError {
  return new FairleadError({
    code: "IDENTITY_CERTIFICATE_MALFORMED",
    message: "This isn't an X.509 certificate.",
    httpStatus: 400,
    cause,
  });
}
