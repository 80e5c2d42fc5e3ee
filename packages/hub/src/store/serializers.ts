import type { QueryOptions } from "@electric-sql/pglite";

/**
 * For PGlite's queries: bytes (the type with OID 17) go in as they are, rather than as hexadecimal digits. That a
 * serializer gives text is only what its type says.
 */
export const bytesAsTheyAre: QueryOptions = { serializers: { 17: (bytes: string) => bytes } };
