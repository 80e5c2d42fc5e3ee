import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ENROLL_CSR_TOO_LARGE: {
    httpStatus: 413,
    message: "The certificate request is larger than {limitBytes} bytes.",
    hint: "The agent creates its own request. Any other client must use a fresh P-256 key.",
    meaning: "The certificate request is larger than 16 KiB.",
  },
  ENROLL_CSR_MALFORMED: {
    httpStatus: 400,
    message: "The certificate request isn't a DER-encoded PKCS #10 request.",
    hint: "The agent creates its own request. Any other client must use a fresh P-256 key.",
  },
  ENROLL_CSR_KEY: {
    httpStatus: 400,
    message: "The certificate request's key isn't an uncompressed point on the named curve P-256.",
    hint: "The agent creates its own request. Any other client must use a fresh P-256 key.",
    meaning:
      "The certificate request's key isn't an uncompressed point on the named curve P-256 (RSA, other curves, explicit parameters).",
  },
  ENROLL_CSR_SIGNATURE: {
    httpStatus: 400,
    message: "The certificate request isn't signed with its own key (ECDSA with SHA-256 or stronger).",
    hint: "The agent creates its own request. Any other client must use a fresh P-256 key.",
  },
  PKI_AUTHORITY_BROKEN: {
    message: "{message}",
    hint: "Restore the hub's pki folder from a backup. With a new CA, every agent must enroll again.",
    meaning: "The CA's certificate and key don't match, or aren't readable PEM.",
  },
  PKI_NAME_INVALID: {
    message: "{name} isn't a valid name for a certificate.",
    hint: "Use DNS labels as cluster names. With several hubs, a trust domain has at most 218 characters.",
    meaning: "A name can't be used in a certificate.",
  },
  IDENTITY_CERTIFICATE_MALFORMED: {
    httpStatus: 400,
    message: "The data isn't an X.509 certificate.",
    meaning: "Data that should be an X.509 certificate isn't one.",
    remedy: "Check the file or Secret that it came from.",
  },
} as const;

export const x509Errors: Errors<typeof table> = defineErrors(table);
