/** Cryptographic bytes, passed in so that this package needs no I/O of its own. */
export type RandomBytes = (size: number) => Uint8Array;

const webCryptoBytes: RandomBytes = (size) => crypto.getRandomValues(new Uint8Array(size));

/** An id that sorts nowhere and collides never: `<prefix>_` and 26 characters of Crockford base32 (128 bits). */
export function createId(prefix: string, randomBytes: RandomBytes = webCryptoBytes): string {
  return `${prefix}_${toBase32(randomBytes(16))}`;
}

/** A secret of 256 random bits as 52 base32 characters, safe in URLs, headers and shells. */
export function createSecret(randomBytes: RandomBytes = webCryptoBytes): string {
  return toBase32(randomBytes(32));
}

function toBase32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = "";
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >>> bits) & 31];
      value &= (1 << bits) - 1;
    }
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
