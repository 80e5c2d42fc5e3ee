/** The certificates of a bundle in PEM, each without what stands around it. */
export function listCertificates(bundle: string): readonly string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}
