import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ENROLL_CSR_TOO_LARGE: {
    httpStatus: 413,
    message: "The certificate request is larger than {limitBytes} bytes.",
    hint: "The agent makes its own request; anything else that sends one must use a fresh P-256 key.",
    meaning: "The request is larger than 16 KiB.",
    remedy: "The agent makes the right one itself.",
  },
  ENROLL_CSR_MALFORMED: {
    httpStatus: 400,
    message: "The certificate request isn't a DER-encoded PKCS #10 request.",
    hint: "The agent makes its own request; anything else that sends one must use a fresh P-256 key.",
    remedy: "The agent makes the right one itself.",
  },
  ENROLL_CSR_KEY: {
    httpStatus: 400,
    message: "The certificate request's key isn't an uncompressed point on the named curve P-256.",
    hint: "The agent makes its own request; anything else that sends one must use a fresh P-256 key.",
    meaning:
      "The request's key isn't an uncompressed point on the named curve P-256 (RSA, other curves, explicit parameters).",
    remedy: "The agent makes the right one itself.",
  },
  ENROLL_CSR_SIGNATURE: {
    httpStatus: 400,
    message: "The certificate request isn't signed (ECDSA, SHA-256 or stronger) by the key that it carries.",
    hint: "The agent makes its own request; anything else that sends one must use a fresh P-256 key.",
    remedy: "The agent makes the right one itself.",
  },
  PKI_AUTHORITY_BROKEN: {
    message: "{message}",
    hint: "Restore the hub's pki folder from a backup; a new authority means that every agent enrolls again.",
    meaning: "The CA's certificate and key don't belong together or aren't readable PEM.",
  },
  PKI_NAME_INVALID: {
    message: "{name} can't be a name in a certificate.",
    hint: "Clusters are named by DNS labels. With several hubs a trust domain has 218 characters at most.",
    meaning: "A name can't stand in a certificate.",
  },
  IDENTITY_CERTIFICATE_MALFORMED: {
    httpStatus: 400,
    message: "This isn't an X.509 certificate.",
    meaning: "Something that should be an X.509 certificate isn't.",
    remedy: "Look at the file or Secret that it came from.",
  },
} as const;

export const x509Errors: Errors<typeof table> = defineErrors(table);
