// The parts list of an image in SPDX 2.3, for scanners and for people who ask.
import { createHash } from "node:crypto";
import { goPrograms } from "../go-programs.ts";
import type { LockedNpmPackage } from "../lock.ts";
import type { Arch } from "../platform.ts";
import type { DebianPackage } from "../sources/debian-packages.ts";
import type { GoProgram } from "../sources/go-programs.ts";
import type { LockedPackage } from "../sources/locked-packages.ts";

export interface Ingredients {
  readonly title: string;
  readonly version: string;
  readonly arch: Arch;
  readonly node: LockedNpmPackage;
  /** None in images without a database. */
  readonly postgres: readonly LockedNpmPackage[];
  readonly go: readonly GoProgram[];
  readonly debian: readonly DebianPackage[];
  /** Debian's release, such as 12. */
  readonly release: string;
  readonly packages: readonly LockedPackage[];
  readonly created: string;
}

interface SpdxPackage {
  readonly SPDXID: string;
  readonly name: string;
  readonly versionInfo: string;
  readonly [field: string]: unknown;
}

export function writeSbom(ingredients: Ingredients): Buffer {
  const { title, version, arch, node, postgres, go, debian, release, packages, created } = ingredients;
  const image = describe({
    id: "image",
    name: title,
    version,
    license: "Apache-2.0",
    purpose: "CONTAINER",
    purl: `pkg:oci/${title}@${encodeURIComponent(version)}?arch=${arch}`,
  });
  const parts: SpdxPackage[] = [
    describe({
      id: "node",
      name: "node",
      version: node.version,
      license: "MIT",
      checksum: sha512(node.integrity),
      purl: `pkg:npm/${node.name}@${node.version}`,
    }),
    ...postgres.map(({ name, version, integrity }) =>
      describe({
        id: `postgresql-${version}`,
        name: "postgresql",
        version: version.replace(/\.0-.*$/, ""),
        license: "PostgreSQL",
        checksum: sha512(integrity),
        purl: `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`,
      }),
    ),
    ...(postgres.length === 0 ? [] : librariesOfPostgres).map(({ name, version, license }) =>
      describe({ id: `library-${name}`, name, version, license, purl: `pkg:generic/${name}@${version}` }),
    ),
    ...go.flatMap(describeGoProgram),
    ...debian.map(({ name, version, sha256 }) =>
      describe({
        id: `deb-${name}`,
        name,
        version,
        checksum: { algorithm: "SHA256", checksumValue: sha256 },
        purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}&distro=debian-${release}`,
      }),
    ),
    ...packages.map(({ name, version, location, license, integrity }) =>
      describe({
        id: `npm-${location}`,
        name,
        version,
        license,
        checksum: sha512(integrity),
        purl: `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`,
      }),
    ),
  ];
  const relate = (from: string, relationshipType: string, to: string) => ({
    spdxElementId: from,
    relationshipType,
    relatedSpdxElement: to,
  });
  const content = {
    packages: [image, ...parts],
    relationships: [
      relate(documentId, "DESCRIBES", image.SPDXID),
      ...parts.map(({ SPDXID }) => relate(image.SPDXID, "CONTAINS", SPDXID)),
    ],
  };
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: documentId,
    name: `${title}-${version}-${arch}`,
    documentNamespace: `https://fairlead.dev/spdx/${title}-${version}-${arch}-${digest}`,
    creationInfo: { created, creators: [`Tool: fairlead-images-${version}`] },
    ...content,
  };
  return Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`);
}

/** The program, then what it was built of. */
function describeGoProgram({ name, sha256, built }: GoProgram): SpdxPackage[] {
  const { main, modules, goVersion } = built;
  const standardLibrary = { path: "stdlib", version: goVersion.replace(/^go/, "") };
  return [
    describe({
      id: `go-${name}`,
      name,
      version: main.version,
      license: goPrograms[name].license,
      checksum: { algorithm: "SHA256", checksumValue: sha256 },
      purl: golangPurl(main),
    }),
    ...[standardLibrary, ...modules].map((one) =>
      describe({ id: `go-${name}-${one.path}`, name: one.path, version: one.version, purl: golangPurl(one) }),
    ),
  ];
}

function golangPurl({ path, version }: GoProgram["built"]["main"]): string {
  return `pkg:golang/${path.toLowerCase()}@${encodeURIComponent(version)}`;
}

/** Both versions of PostgreSQL bring the same, on both architectures. */
const librariesOfPostgres = [
  { name: "openssl", version: "1.1.1", license: "OpenSSL" },
  { name: "icu", version: "60.2", license: "ICU" },
  { name: "libxml2", version: "2.9.4", license: "MIT" },
  { name: "xz", version: "5.2.2", license: undefined },
  { name: "zlib", version: "1.2.11", license: "Zlib" },
];

const documentId = "SPDXRef-DOCUMENT";
const unknown = "NOASSERTION";

function describe(part: {
  id: string;
  name: string;
  version: string;
  purl: string;
  license?: string | undefined;
  purpose?: string;
  checksum?: { algorithm: string; checksumValue: string } | undefined;
}): SpdxPackage {
  const { id, name, version, purl, license, purpose, checksum } = part;
  return {
    SPDXID: `SPDXRef-${id.replaceAll(/[^A-Za-z0-9.]+/g, "-")}`,
    name,
    versionInfo: version,
    downloadLocation: unknown,
    filesAnalyzed: false,
    licenseConcluded: unknown,
    licenseDeclared: isExpression(license) ? license : unknown,
    copyrightText: unknown,
    ...(purpose !== undefined && { primaryPackagePurpose: purpose }),
    ...(checksum && { checksums: [checksum] }),
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}

function isExpression(license: string | undefined): boolean {
  return license !== undefined && /^\(?[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.+-]+)*\)?$/.test(license);
}

function sha512(integrity: string | undefined) {
  if (!integrity?.startsWith("sha512-")) return undefined;
  const checksumValue = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  return { algorithm: "SHA512", checksumValue };
}
