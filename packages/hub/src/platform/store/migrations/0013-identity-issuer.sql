-- While one certificate authority follows another it matters which of them signed a certificate (its fingerprint), and
-- whether the agent has it: until it said so or showed it, it may still go by an older one of the same key.
alter table identity add column issuer text collate "C";

alter table identity add column confirmed_at timestamptz;

-- A certificate is kept with its issuer's behind it.
update identity set issuer = encode(sha256(decode(regexp_replace(
  split_part(split_part(certificate_pem, '-----BEGIN CERTIFICATE-----', 3), '-----END', 1), '\s', '', 'g'), 'base64')), 'hex');
